"""openapi.yaml is true: its routes, bodies, codes and words are those of the code."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import jsonschema_rs
import pytest
import yaml
from marshmallow import Schema, fields, validate
from openapi_spec_validator import validate as validate_spec

from events.vocabulary import Bid, BotLevel, Card, Trump
from service.api import schemas
from service.api.app import create_app
from service.api.games import STATUSES
from service.api.problems import KINDS
from service.projections import notices
from service.rules.house_rules import CHOICES, HIGHEST_TARGET, LOWEST_TARGET, HouseRules, options
from service.settings import settings_from_environment
from service.views.public_event import _PUBLIC
from service.views.shapes import Phase
from service.webhooks.vocabulary import Disabled, Outcome, Topic
from service.wiring import services

FILE = Path(__file__).parents[2] / "openapi.yaml"
SPEC: dict[str, Any] = yaml.safe_load(FILE.read_text())
SCHEMAS = SPEC["components"]["schemas"]
METHODS = {"get", "post", "put", "patch", "delete"}
EVERYWHERE = {"route-unknown", "method-not-allowed", "internal-error", "store-unavailable"}
BODIES: dict[str, Schema] = {
    "NewPlayer": schemas.NEW_PLAYER,
    "Rename": schemas.RENAME,
    "NewToken": schemas.NEW_TOKEN,
    "UseLinkCode": schemas.USE_LINK_CODE,
    "UseRecoveryCode": schemas.USE_RECOVERY_CODE,
    "NewWebhook": schemas.NEW_WEBHOOK,
    "ChangeWebhook": schemas.CHANGE_WEBHOOK,
    "NewGame": schemas.NEW_GAME,
    "SeatWish": schemas.SeatWishBody(),
    "ChosenRules": schemas.RulesBody(),
    "TakeSeat": schemas.TAKE_SEAT,
    "Sit": schemas.SIT,
    "GiveEntropy": schemas.ENTROPY_BODY,
    "BotSeat": schemas.BOT_SEAT,
    "Invite": schemas.INVITE,
    "Nothing": schemas.NOTHING,
    "BidAction": schemas.ACTIONS["bid"],
    "PassAction": schemas.ACTIONS["pass"],
    "NameTrumpAction": schemas.ACTIONS["name_trump"],
    "PlayCardAction": schemas.ACTIONS["play_card"],
}

GOES_WITH = {"level": {"kind": "bot"}, "player": {"kind": "player"}}
"""What else a seat's wish must say for a field to be allowed; other bodies refuse it unread."""


def named(schema: Schema, field: str) -> list[str]:
    """The words that a field may hold."""
    (choice,) = schema.fields[field].validators
    assert isinstance(choice, validate.OneOf)
    return [*choice.choices]


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in SPEC["paths"].items():
        for method in METHODS & item.keys():
            yield path, method, item[method]


def resolved(node: dict[str, Any]) -> dict[str, Any]:
    """The node that a reference leads to."""
    while "$ref" in node:
        found: Any = SPEC
        for step in node["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        node = found
    return node


def test_the_spec_is_valid() -> None:
    validate_spec(SPEC)


def test_routes_are_paths_and_paths_are_routes() -> None:
    nowhere = replace(settings_from_environment(), redis_url="unix:///none")
    app = create_app(services(nowhere))
    routes = {
        (re.sub(r"<(?:int:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert routes == {(path, method) for path, method, _operation in operations()}


def test_every_operation_has_its_own_name() -> None:
    names = [operation["operationId"] for _path, _method, operation in operations()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", BODIES)
def test_a_body_has_the_fields_of_its_schema(name: str) -> None:
    described, loaded = SCHEMAS[name], BODIES[name]
    assert described["additionalProperties"] is False
    assert set(described.get("properties", {})) == set(loaded.fields)
    required = {field for field, kind in loaded.fields.items() if kind.required}
    assert set(described.get("required", [])) == required


@pytest.mark.parametrize(
    ("name", "field"),
    [(name, field) for name, schema in BODIES.items() for field in schema.fields],
)
def test_a_field_has_the_limits_of_its_schema(name: str, field: str) -> None:
    node, kind = resolved(SCHEMAS[name]["properties"][field]), BODIES[name].fields[field]
    assert accepts(node, None) == bool(kind.allow_none)
    for value in probes(kind):
        assert accepts(node, value) == loads(BODIES[name], field, value), value


def accepts(node: dict[str, Any], value: Any) -> bool:
    return bool(
        jsonschema_rs.validator_for({**node, "components": SPEC["components"]}).is_valid(value)
    )


def loads(schema: Schema, field: str, value: Any) -> bool:
    return field not in schema.validate({**GOES_WITH.get(field, {}), field: value}, partial=True)


def probes(kind: fields.Field[Any]) -> list[Any]:
    """Values of every type, and those on both sides of each of the field's limits."""
    values: list[Any] = [True, False, 0, 1, 2, 3, 4, 5, -1, 7, 8, 1.5, "", "x", [], {}]
    values += ["x" * 64, "x" * 65, "é", "\n", " ", "p_abc", "p_" + "a" * 40, "p_" + "a" * 41]
    values += [*Card, *Bid, *Trump, *BotLevel, "open", "me", "bot", "player", "auto", "manual"]
    values += ["unlisted", "public", *(choice for kind in CHOICES.values() for choice in kind)]
    values += [LOWEST_TARGET - 1, LOWEST_TARGET, HIGHEST_TARGET, HIGHEST_TARGET + 1]
    if isinstance(kind, schemas.Name):
        return ["Ana", "Ana " * 5, 3, True, [], {}]
    if isinstance(kind, fields.List | fields.Nested):
        return [3, True, "x"]
    has_limits = bool(kind.validators) or not isinstance(kind, fields.String | fields.Raw)
    return values if has_limits else []


def test_every_problem_code_is_described_and_every_described_one_exists() -> None:
    assert set(SCHEMAS["ProblemCode"]["enum"]) == set(KINDS)
    named = {
        code
        for _path, _method, operation in operations()
        for code in operation.get("x-problems", [])
    }
    assert named | EVERYWHERE | {"bad-request"} >= set(KINDS)
    assert named <= set(KINDS)


def test_every_problem_code_is_listed_with_its_status_and_meaning() -> None:
    listed = re.findall(r"(?m)^- `(.+)` \((\d+)(, retryable)?\): (.+)\.$", described_codes())
    assert listed == [
        (code, str(kind.status), ", retryable" if kind.is_retryable else "", kind.title)
        for code, kind in KINDS.items()
    ]


def described_codes() -> str:
    return str(SCHEMAS["ProblemCode"]["description"])


def test_every_problem_of_an_operation_has_its_status() -> None:
    for path, method, operation in operations():
        for code in operation.get("x-problems", []):
            assert str(KINDS[code].status) in operation["responses"], (path, method, code)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Card", list(Card)),
        ("Bid", list(Bid)),
        ("Trump", list(Trump)),
        ("BotLevel", list(BotLevel)),
        ("Status", list(STATUSES)),
        ("Visibility", named(schemas.NEW_GAME, "visibility")),
        ("Start", named(schemas.NEW_GAME, "start")),
        ("WebhookTopic", list(Topic)),
        ("NoticeTopic", list(notices.Topic)),
        ("WebhookDisabled", list(Disabled)),
        ("WebhookOutcome", list(Outcome)),
    ],
)
def test_closed_sets_are_the_codes_own(name: str, words: list[str]) -> None:
    assert SCHEMAS[name]["enum"] == words


def test_phases_are_the_codes_own() -> None:
    for name in ("View", "Summary"):
        assert SCHEMAS[name]["properties"]["phase"]["enum"] == [*get_args(Phase), None]


def test_defaults_of_house_rules_are_the_codes_own() -> None:
    described = SCHEMAS["HouseRules"]["properties"]
    assert {name: resolved(node)["default"] for name, node in described.items()} == options(
        HouseRules()
    )


def test_a_discriminator_maps_every_kind_to_its_own_schema() -> None:
    for name in ("Action", "Event"):
        mapped = SCHEMAS[name]["discriminator"]["mapping"]
        assert mapped == {
            resolved(part)["properties"]["type"]["const"]: part["$ref"]
            for part in SCHEMAS[name]["oneOf"]
        }


def test_references_lead_to_components_so_that_client_generators_follow() -> None:
    references = re.findall(r"\$ref: '?#/([^'},\s]+)", FILE.read_text())
    assert len(references) > 500
    assert {len(reference.split("/")) for reference in references} == {3}


def test_inheritance_has_its_own_part_so_that_client_generators_keep_it() -> None:
    for name, schema in SCHEMAS.items():
        if "allOf" in schema:
            parent, own = schema["allOf"]
            assert parent.keys() == {"$ref"}, name
            assert own["properties"], name


def test_house_rules_are_the_codes_own() -> None:
    for name, choices in CHOICES.items():
        for schema in ("ChosenRules", "HouseRules"):
            node = resolved(SCHEMAS[schema]["properties"][name])
            assert node["enum"] == [choice.value for choice in choices], (schema, name)


def test_event_types_are_the_codes_own() -> None:
    described = {
        resolved(part)["properties"]["type"]["const"] for part in SCHEMAS["Event"]["oneOf"]
    }
    coded = {re.sub(r"(?<!^)(?=[A-Z])", "_", event.__name__).lower() for event in _PUBLIC}
    assert described == {"bid" if name == "bid_made" else name for name in coded}


def examples() -> Iterator[tuple[str, dict[str, Any], Any]]:
    def of(where: str, content: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], Any]]:
        for media in content.values():
            if "example" in media:
                yield where, media["schema"], media["example"]
            for name, shown in media.get("examples", {}).items():
                yield f"{where} {name}", media["schema"], resolved(shown)["value"]

    for path, method, operation in operations():
        yield from of(f"{method} {path}", operation.get("requestBody", {}).get("content", {}))
        for status, answer in operation["responses"].items():
            yield from of(f"{method} {path} {status}", resolved(answer).get("content", {}))


@pytest.mark.parametrize(("where", "schema", "value"), [*examples()])
def test_every_example_fits(where: str, schema: dict[str, Any], value: Any) -> None:
    whole = {**schema, "components": SPEC["components"]}
    errors = [error.message for error in jsonschema_rs.validator_for(whole).iter_errors(value)]
    assert errors == [], where


def test_there_are_examples() -> None:
    assert len(list(examples())) > 25
