"""Tokens over HTTP: made for less, listed, revoked, and gone when their time is up."""

from itertools import combinations
from time import sleep
from typing import Any

import pytest
from redis import Redis

from service.players.accounts import SCOPES
from service.players.tokens import MOST_TOKENS
from tests.api.conftest import Api, body_of

SUBSETS = [set(some) for size in range(1, 5) for some in combinations(SCOPES, size)]


def made(api: Api, token: str, scopes: set[str], **body: Any) -> dict[str, Any]:
    sent = {"name": "Phone", "scopes": sorted(scopes), **body}
    return body_of(api.post("/v1/tokens", json=sent, token=token), 201)


def test_another_token_speaks_for_the_same_player(api: Api) -> None:
    player, first = api.new_player("Ana")
    answer = made(api, first, {"read"})
    assert answer["token_info"]["name"] == "Phone"
    assert answer["token_info"]["expires_at"] is None
    assert api.get("/v1/me", token=answer["token"]).json["id"] == player


def test_tokens_are_listed_without_secrets_and_the_one_sent_is_marked(api: Api) -> None:
    _player, first = api.new_player()
    second = made(api, first, {"read", "account"})
    answer = api.get("/v1/tokens", token=second["token"])
    assert [info["current"] for info in body_of(answer)["items"]] == [False, True]
    assert answer.json["items"][1] == {**second["token_info"], "current": True}
    assert second["token"] not in answer.get_data(as_text=True)


def test_a_revoked_token_is_good_for_nothing_and_its_kin_stay(api: Api) -> None:
    _player, first = api.new_player()
    second, third = made(api, first, {"account"}), made(api, first, {"read"})
    path = f"/v1/tokens/{second['token_info']['id']}"
    assert api.delete(path, token=second["token"]).status_code == 204
    assert api.get("/v1/tokens", token=second["token"]).json["code"] == "token-invalid"
    assert api.get("/v1/me", token=third["token"]).status_code == 200
    assert len(api.get("/v1/tokens", token=first).json["items"]) == 2
    again = api.delete(path, token=first)
    assert (again.status_code, again.json["code"]) == (404, "token-unknown")
    assert "WWW-Authenticate" not in again.headers


def test_nobody_revokes_anothers_token(api: Api) -> None:
    (_ana, hers), (_ben, his) = api.new_player("Ana"), api.new_player("Ben")
    token_id = api.get("/v1/tokens", token=hers).json["items"][0]["id"]
    assert api.delete(f"/v1/tokens/{token_id}", token=his).json["code"] == "token-unknown"
    assert api.get("/v1/me", token=hers).status_code == 200


def test_a_token_past_its_time_is_refused_and_leaves_the_list(
    api: Api, redis_client: Redis
) -> None:
    player, first = api.new_player()
    short = made(api, first, {"read"}, expires_in=1)["token"]
    assert api.get("/v1/me", token=short).status_code == 200
    sleep(1.1)
    assert api.get("/v1/me", token=short).json["code"] == "token-invalid"
    assert len(api.get("/v1/tokens", token=first).json["items"]) == 1
    assert redis_client.scard(f"pepper:{{p:{player}}}:tokens") == 1


@pytest.mark.parametrize("longer", [{}, {"expires_in": 7200}])
def test_a_child_ends_no_later_than_its_parent(api: Api, longer: dict[str, int]) -> None:
    _player, first = api.new_player()
    parent = made(api, first, {"account"}, expires_in=3600)
    child = made(api, parent["token"], {"account"}, **longer)
    assert child["token_info"]["expires_at"] == parent["token_info"]["expires_at"]
    grandchild = made(api, child["token"], {"account"}, expires_in=60)
    assert grandchild["token_info"]["expires_at"] < child["token_info"]["expires_at"]


def test_there_is_a_most_of_tokens(api: Api) -> None:
    _player, first = api.new_player()
    others = [made(api, first, {"read"}) for _more in range(MOST_TOKENS - 1)]
    body = {"name": "One more", "scopes": ["read"]}
    refused = api.post("/v1/tokens", json=body, token=first)
    assert (refused.status_code, refused.json["code"]) == (409, "too-many-tokens")
    assert len(api.get("/v1/tokens", token=first).json["items"]) == MOST_TOKENS
    api.delete(f"/v1/tokens/{others[0]['token_info']['id']}", token=first)
    assert api.post("/v1/tokens", json=body, token=first).status_code == 201


@pytest.mark.parametrize(
    "change",
    [{"scopes": []}, {"scopes": ["all"]}, {"scopes": None}, {"name": ""}, {"name": None}]
    + [{"expires_in": wrong} for wrong in (0, -1, 1.5, "60", 10**12, None)],
)
def test_bodies_that_do_not_fit(api: Api, change: dict[str, Any]) -> None:
    _player, first = api.new_player()
    body = {"name": "Phone", "scopes": ["read"], **change}
    answer = api.post("/v1/tokens", json=body, token=first)
    assert (answer.status_code, answer.json["code"]) == (422, "invalid-body")
    assert set(answer.json["errors"]) == set(change)


def test_every_scope_opens_its_operations_only(api: Api) -> None:
    _player, first = api.new_player()
    for scopes in SUBSETS:
        token = made(api, first, scopes)["token"]
        tries = {
            "read": api.get("/v1/me", token=token),
            "play": api.post("/v1/games", json={"players": 4}, token=token),
            "account": api.get("/v1/tokens", token=token),
        }
        for scope, answer in tries.items():
            assert (answer.status_code < 300) == (scope in scopes), (scopes, scope)
            assert scope in scopes or answer.json["code"] == "scope-missing"


def test_no_child_may_more_than_its_parent(api: Api) -> None:
    _player, first = api.new_player()
    for parent_scopes in SUBSETS:
        parent = made(api, first, parent_scopes)
        for child_scopes in SUBSETS:
            body = {"name": "Child", "scopes": sorted(child_scopes)}
            answer = api.post("/v1/tokens", json=body, token=parent["token"])
            may = "account" in parent_scopes and child_scopes <= parent_scopes
            assert answer.status_code == (201 if may else 403), (parent_scopes, child_scopes)
            if may:
                api.delete(f"/v1/tokens/{answer.json['token_info']['id']}", token=first)
        api.delete(f"/v1/tokens/{parent['token_info']['id']}", token=first)
