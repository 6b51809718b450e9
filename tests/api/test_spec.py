"""The check that every API test relies on: an answer that differs from the contract fails it."""

import json
from typing import Any

import pytest

from tests.api.spec import check_exchange, part

PATH = "/v1/games/g_0scenario1"
JSON = {"Content-Type": "application/json"}
ETAG = {"ETag": '"8-14ffde2c"'}
PROBLEM = {"Content-Type": "application/problem+json"}


def shown(name: str, **changes: Any) -> dict[str, Any]:
    return {**part(f"/components/examples/{name}/value"), **changes}


def exchange(
    status: int = 200,
    answer: Any = None,
    *,
    headers: dict[str, str] | None = None,
    method: str = "GET",
    path: str = PATH,
    query: dict[str, str] | None = None,
    sent: Any = None,
) -> None:
    told = {**JSON, **ETAG} if headers is None else headers
    body = shown("your_turn") if answer is None else answer
    check_exchange(method, path, query or {}, status, JSON, sent, told, json.dumps(body).encode())


def refused(what: str, *args: Any, **kwargs: Any) -> None:
    with pytest.raises(AssertionError, match=what):
        exchange(*args, **kwargs)


def test_a_documented_answer_passes() -> None:
    exchange()
    exchange(404, shown("game_unknown"), headers=PROBLEM)
    exchange(404, shown("game_unknown", code="route-unknown"), headers=PROBLEM, path="/nowhere")


def test_an_undocumented_field_fails_at_any_depth() -> None:
    refused("hands", answer=shown("your_turn", hands=[]))
    seats = shown("your_turn")["seats"]
    refused("secret", answer=shown("your_turn", seats=[{**seats[0], "secret": 1}, *seats[1:]]))
    refused("x", answer={**shown("open_view"), "x": 1}, path=f"{PATH}/replay/8")


def test_a_missing_field_fails() -> None:
    view = shown("your_turn")
    del view["turn"]
    refused("turn", answer=view)


def test_a_wrong_value_fails() -> None:
    refused("phase", answer=shown("your_turn", phase="bidding"))
    refused("created_at", answer=shown("your_turn", created_at="yesterday"))


def test_an_undocumented_status_content_type_or_header_fails() -> None:
    refused("not documented", 202)
    refused("text/csv not documented", headers={"Content-Type": "text/csv", **ETAG})
    refused("Location not documented", headers={**JSON, **ETAG, "Location": "/v1/games/1"})
    refused("without ETag", headers=JSON)
    refused("ETag: 8", headers={**JSON, "ETag": "8"})


def test_a_problem_that_the_operation_does_not_list_fails() -> None:
    refused("x-problems", 404, shown("game_unknown", code="player-unknown"), headers=PROBLEM)


def test_an_undocumented_query_or_body_that_is_taken_fails() -> None:
    refused("query", query={"depth": "3"})
    action: dict[str, Any] = {"method": "POST", "path": f"{PATH}/actions"}
    exchange(sent={"type": "bid", "bid": 3}, **action)
    refused("undocumented body", sent={"type": "bid", "bid": 3, "loud": True}, **action)
    refused("needs no body", **action)


def test_an_address_or_method_that_is_not_documented_must_say_so() -> None:
    refused("required property", path="/nowhere")
    refused(
        "Allow", 405, shown("game_unknown", code="method-not-allowed"), headers={}, method="PUT"
    )
