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


def test_a_problem_that_names_another_status_fails() -> None:
    refused("says 410", 404, shown("game_unknown", status=410), headers=PROBLEM)


def test_a_value_of_a_query_that_is_taken_must_be_documented() -> None:
    exchange(query={"version": "8", "as": "spectator"})
    for query in ({"version": "0"}, {"version": "x"}, {"version": ""}, {"as": "seat"}):
        refused("which is not documented", query=query)
    games: dict[str, Any] = {"path": "/v1/games", "headers": JSON, "answer": shown("game_page")}
    exchange(query={"needs_me": "true", "limit": "100", "player": "me"}, **games)
    for query in ({"needs_me": "1"}, {"limit": "101"}, {"status": "over"}):
        refused("which is not documented", query=query, **games)


def test_an_undocumented_query_or_body_that_is_taken_fails() -> None:
    refused("query", query={"depth": "3"})
    action: dict[str, Any] = {"method": "POST", "path": f"{PATH}/actions"}
    exchange(sent={"type": "bid", "bid": 3}, **action)
    refused("undocumented body", sent={"type": "bid", "bid": 3, "loud": True}, **action)
    refused("needs no body", **action)


def test_an_address_or_method_that_is_not_documented_must_say_so() -> None:
    problem, told = shown("game_unknown", code="route-unknown"), PROBLEM
    refused("not 404", path="/nowhere")
    refused("required property", 404, path="/nowhere")
    refused("route-unknown", 404, {**problem, "code": "game-unknown"}, path="/nowhere")
    problem.update(status=405, code="method-not-allowed")
    exchange(405, problem, headers={**told, "Allow": "GET"}, method="PUT")
    refused("Allow", 405, problem, headers=told, method="PUT")


def test_head_answers_without_a_body() -> None:
    def headed(status: int, body: bytes, headers: dict[str, str], path: str = PATH) -> None:
        check_exchange("HEAD", path, {}, status, JSON, None, headers, body)

    headed(200, b"", {**JSON, **ETAG})
    headed(405, b"", {"Allow": "POST"}, f"{PATH}/actions")
    with pytest.raises(AssertionError, match="a body"):
        headed(405, b"{}", {"Allow": "POST"}, f"{PATH}/actions")
    with pytest.raises(AssertionError, match="without Allow"):
        headed(405, b"", {}, f"{PATH}/actions")
