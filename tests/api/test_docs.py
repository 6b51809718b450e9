"""The pages about the service: complete, and without anything from elsewhere."""

import re
from html import unescape

from tests.api.conftest import Api
from tests.api.spec import METHODS, spec


def test_the_page_has_an_anchor_for_every_operation_and_schema(api: Api) -> None:
    page = api.get("/docs").text
    anchors = set(re.findall(r'id="([^"]+)"', page))
    operations = {
        item[method]["operationId"]
        for item in spec()["paths"].values()
        for method in METHODS
        if method in item
    }
    schemas = {f"schema-{name}" for name in spec()["components"]["schemas"]}
    assert operations | schemas <= anchors
    assert set(re.findall(r'href="#([^"]+)"', page)) <= anchors


def test_the_page_has_every_field_of_a_schema_that_inherits(api: Api) -> None:
    page = api.get("/docs").text
    inheriting = {
        name: schema
        for name, schema in spec()["components"]["schemas"].items()
        if "allOf" in schema
    }
    assert len(inheriting) == 7
    for name, schema in inheriting.items():
        parent, own = schema["allOf"]
        about = page.partition(f'id="schema-{name}"')[2].partition("<h3")[0]
        assert f'href="#schema-{parent["$ref"].rpartition("/")[2]}"' in about
        assert all(f"<code>{field}</code>" in about for field in own["properties"])


def test_the_page_names_every_problem_with_a_link(api: Api) -> None:
    page = api.get("/docs").text
    for item in spec()["paths"].values():
        for operation in (item[method] for method in METHODS if method in item):
            for code in operation["x-problems"]:
                assert f'href="/problems/{code}"' in page


def test_the_page_needs_nothing_from_elsewhere(api: Api) -> None:
    answer = api.get("/docs")
    assert not re.search(r'<script|<link|<img|@import|url\(|(?:src|href)="https?:', answer.text)
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


def test_examples_keep_the_order_that_they_are_written_in(api: Api) -> None:
    page = unescape(api.get("/docs").text)
    assert '"type": "play_card",\n  "card": "JS"' in page


def test_the_document_is_served_as_it_is_written(api: Api) -> None:
    answer = api.get("/openapi.yaml")
    assert answer.text.startswith("openapi: 3.1")
    assert answer.headers["Content-Type"] == "application/yaml"


def test_the_rules_come_as_text_to_those_who_want_it(api: Api) -> None:
    answer = api.get("/v1/rules", headers={"Accept": "text/plain"})
    assert answer.content_type == "text/plain; charset=utf-8"
    assert [f"R{n}" for n in range(1, 25) if not re.search(rf"\bR{n}\b", answer.text)] == []


def test_the_rules_come_as_json_to_programs(api: Api) -> None:
    answer = api.get("/v1/rules")
    assert answer.content_type == "application/json"
    assert answer.json["bids"]["4"][-1] == "big_pepper"


def test_a_problem_explains_itself(api: Api) -> None:
    assert "It is not your turn" in api.get("/problems/not-your-turn").text
    assert api.get("/problems/no-such").json["code"] == "problem-unknown"
