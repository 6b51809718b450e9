"""Holds an exchange to openapi.yaml, strictly both ways: what is not documented fails."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jsonschema_rs
import yaml

SPEC = Path(__file__).parents[2] / "openapi.yaml"
METHODS = ("get", "put", "post", "delete", "patch")
TOLD = ("ETag", "Location", "Retry-After", "Allow", "WWW-Authenticate")
"""The headers that may not come without being documented."""

NUMBERS = ("seat", "version")
"""The parameters of paths that are numbers; anything else there is no such address."""

PROBLEM = "application/problem+json"
JSON = ("application/json", PROBLEM)


def check_exchange(
    method: str,
    path: str,
    query: Mapping[str, str],
    status: int,
    request_headers: Mapping[str, str],
    request_body: Any,
    response_headers: Mapping[str, str],
    response_body: bytes,
) -> None:
    """Fails with AssertionError unless openapi.yaml describes this request and its answer."""
    if method == "OPTIONS":
        return
    told = {name.lower(): value for name, value in response_headers.items()}
    template = template_of(path)
    asked = "get" if method == "HEAD" else method.lower()
    if template is None or asked not in spec()["paths"][template]:
        expected = (404, "route-unknown") if template is None else (405, "method-not-allowed")
        _check_no_operation(method, expected, status, told, response_body)
        return
    operation, place = spec()["paths"][template][asked], f"/paths/{_escaped(template)}/{asked}"
    where = f"{method} {path} answers {status}"
    assert str(status) in operation["responses"], f"{where}: not documented"
    answer, answer_place = _resolved(
        operation["responses"][str(status)], f"{place}/responses/{status}"
    )
    _check_headers(answer, told, where)
    if method != "HEAD":
        _check_body(answer, answer_place, operation, status, told, response_body, where)
    if 200 <= status < 300:
        _check_query(operation, place, query, where)
        _check_request(operation, place, request_body, request_headers, where)


def template_of(path: str) -> str | None:
    """The path of the document that a request's path fits, the most literal one first."""
    for template in sorted(spec()["paths"], key=lambda template: template.count("{")):
        pattern = re.sub(r"\\\{(\w+)\\\}", _what_fits, re.escape(template))
        if re.fullmatch(pattern, path):
            return str(template)
    return None


def _what_fits(parameter: re.Match[str]) -> str:
    return r"\d+" if parameter[1] in NUMBERS else "[^/]+"


def _check_no_operation(
    method: str,
    expected: tuple[int, str],
    status: int,
    told: Mapping[str, str],
    body: bytes,
) -> None:
    where = f"{method} answers {status}"
    assert status == expected[0], f"{where}: not {expected[0]}"
    assert status == 404 or "allow" in told, f"{where}: 405 without Allow"
    if method == "HEAD":
        assert not body, f"{where}: a body"
        return
    document = json.loads(body)
    problems = faults("/components/schemas/Problem", document)
    assert not problems, f"{where}: {problems}"
    said = (document["status"], document["code"])
    assert said == expected, f"{where}: says {said}, not {expected}"


def _check_headers(answer: Mapping[str, Any], told: Mapping[str, str], where: str) -> None:
    documented = answer.get("headers", {})
    for name in TOLD:
        assert name.lower() not in told or name in documented, f"{where}: {name} not documented"
    for name, header in documented.items():
        rule = _resolved(header, "")[0]
        value = told.get(name.lower())
        assert value is not None or not rule.get("required"), f"{where}: without {name}"
        pattern = rule["schema"].get("pattern", "")
        assert value is None or re.search(pattern, value), f"{where}: {name}: {value}"


def _check_body(
    answer: Mapping[str, Any],
    place: str,
    operation: Mapping[str, Any],
    status: int,
    told: Mapping[str, str],
    body: bytes,
    where: str,
) -> None:
    kind = told.get("content-type", "").partition(";")[0]
    content = answer.get("content")
    if content is None:
        assert not body, f"{where}: a body, and none documented"
        return
    assert kind in content, f"{where}: {kind} not documented"
    if kind not in JSON:
        return
    document = json.loads(body)
    problems = faults(f"{place}/content/{_escaped(kind)}/schema", document)
    assert not problems, f"{where}: {problems}"
    if kind == PROBLEM:
        code = document["code"]
        assert code in operation["x-problems"], f"{where}: {code} not among x-problems"
        assert document["status"] == status, f"{where}: says {document['status']}"


def _check_query(
    operation: Mapping[str, Any], place: str, query: Mapping[str, str], where: str
) -> None:
    known = {}
    for number, each in enumerate(operation.get("parameters", [])):
        parameter, its_place = _resolved(each, f"{place}/parameters/{number}")
        if parameter["in"] == "query":
            known[parameter["name"]] = f"{its_place}/schema"
    assert set(query) <= set(known), f"{where}: query {set(query) - set(known)} not documented"
    for name, text in query.items():
        is_documented = any(not faults(known[name], value) for value in _readings(text))
        assert is_documented, f"{where}: takes {name}={text}, which is not documented"


def _readings(text: str) -> list[Any]:
    """What a value of a query may stand for."""
    number = [int(text)] if re.fullmatch("-?[0-9]+", text) else []
    return [text, *number, *({"true": [True], "false": [False]}.get(text, []))]


def _check_request(
    operation: Mapping[str, Any],
    place: str,
    body: Any,
    headers: Mapping[str, str],
    where: str,
) -> None:
    if "requestBody" not in operation:
        assert not body, f"{where}: takes a body, and none is documented"
        return
    rule, rule_place = _resolved(operation["requestBody"], f"{place}/requestBody")
    if body is None or body in (b"", ""):
        assert not rule.get("required"), f"{where}: needs no body, and one is documented"
        return
    kind = headers.get("Content-Type", "").partition(";")[0]
    assert kind in rule["content"], f"{where}: takes {kind}, which is not documented"
    document = json.loads(body) if isinstance(body, str | bytes) else body
    problems = faults(f"{rule_place}/content/{_escaped(kind)}/schema", document)
    assert not problems, f"{where}: takes an undocumented body: {problems}"


@cache
def spec() -> dict[str, Any]:
    """The document as it is written."""
    return dict(yaml.safe_load(SPEC.read_text(encoding="utf-8")))


@cache
def strict_spec() -> dict[str, Any]:
    """The document with every object closed: a field that it does not name is an error."""
    return dict(_closed(spec()))


def _closed(node: Any) -> Any:
    if isinstance(node, list):
        return [_closed(part) for part in node]
    if not isinstance(node, dict):
        return node
    made = {key: _closed(value) for key, value in _merged(node).items()}
    if isinstance(made.get("properties"), dict) and "type" in made:
        made.setdefault("additionalProperties", False)
    return made


def _merged(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema with the fields of all that its `allOf` names, which cannot be closed alone."""
    if "allOf" not in schema:
        return schema
    parts = [_merged(_resolved(each, "")[0]) for each in schema["allOf"]]
    properties = {name: node for each in parts for name, node in each["properties"].items()}
    required = [name for each in parts for name in each.get("required", [])]
    return {"type": "object", "properties": properties, "required": required}


def part(pointer: str) -> Any:
    """What a JSON pointer names in the document."""
    found: Any = spec()
    for step in pointer.strip("/").split("/"):
        found = found[step.replace("~1", "/").replace("~0", "~")]
    return found


def faults(pointer: str, document: Any) -> list[str]:
    """What is wrong with a document by the schema at a place of the specification."""
    return [
        f"{'/'.join(map(str, fault.instance_path))}: {fault.message[:300]}"
        for fault in _validator(pointer).iter_errors(document)
    ]


@cache
def _validator(pointer: str) -> jsonschema_rs.Draft202012Validator:
    schema = {**strict_spec(), "$ref": f"#{quote(pointer, safe='/~')}"}
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=True)


def _resolved(node: dict[str, Any], place: str) -> tuple[dict[str, Any], str]:
    if "$ref" not in node:
        return node, place
    place = node["$ref"].removeprefix("#")
    return part(place), place


def _escaped(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1")
