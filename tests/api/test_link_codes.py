"""Link codes over HTTP: a further device without a token, once, soon, and not by guessing."""

from concurrent.futures import ThreadPoolExecutor
from typing import cast

import pytest
from redis import Redis

from service.players.codes import LINK_CODE_SECONDS, LinkCodes, Tries, meant
from service.wiring import Services
from tests.api.conftest import Api, body_of


def code_of(api: Api, token: str) -> str:
    return str(body_of(api.post("/v1/me/link-code", token=token), 201)["code"])


def test_a_code_adds_a_device_once(api: Api) -> None:
    player, first = api.new_player("Ana")
    sent = {"link_code": code_of(api, first), "name": "Phone"}
    linked = body_of(api.post("/v1/tokens", json=sent), 201)
    assert linked["token_info"]["name"] == "Phone"
    assert api.get("/v1/me", token=linked["token"]).json["id"] == player
    again = api.post("/v1/tokens", json=sent)
    assert (again.status_code, again.json["code"]) == (403, "code-invalid")


def test_a_code_gives_no_more_than_its_maker_has(api: Api) -> None:
    _player, first = api.new_player()
    body = {"name": "Less", "scopes": ["account"], "expires_in": 3600}
    less = api.post("/v1/tokens", json=body, token=first).json
    linked = body_of(api.post("/v1/tokens", json={"link_code": code_of(api, less["token"])}), 201)
    for field in ("scopes", "expires_at"):
        assert linked["token_info"][field] == less["token_info"][field]


def test_a_code_dies_with_the_token_that_asked_for_it(api: Api) -> None:
    _player, first = api.new_player()
    code, own = code_of(api, first), api.get("/v1/tokens", token=first).json["items"][0]["id"]
    api.delete(f"/v1/tokens/{own}", token=first)
    assert api.post("/v1/tokens", json={"link_code": code}).json["code"] == "code-invalid"


def test_only_the_scope_account_gets_a_code(api: Api) -> None:
    _player, first = api.new_player()
    body = {"name": "Less", "scopes": ["read", "play", "webhooks"]}
    less = api.post("/v1/tokens", json=body, token=first).json["token"]
    assert api.post("/v1/me/link-code", token=less).json["code"] == "scope-missing"
    assert api.post("/v1/me/link-code").json["code"] == "token-missing"
    assert api.post("/v1/tokens", json=body).json["code"] == "token-missing"


@pytest.mark.parametrize("typed", ["01ab-cdef-ghjk", "OIABCDEFGHJK", "olabcdefghjk"])
def test_what_is_typed_is_read_as_meant(typed: str) -> None:
    assert meant(typed) == "01ABCDEFGHJK"


def test_a_code_may_be_typed_small_and_with_hyphens(api: Api, redis_client: Redis) -> None:
    _player, first = api.new_player()
    code = code_of(api, first)
    keys = cast(list[bytes], redis_client.keys("*"))
    assert not any(code.encode() in key for key in keys)
    (kept,) = (key for key in keys if key.startswith(b"pepper:{c:"))
    assert 0 < redis_client.ttl(kept) <= LINK_CODE_SECONDS
    typed = "-".join((code[:4], code[4:8], code[8:])).lower()
    assert api.post("/v1/tokens", json={"link_code": typed}).status_code == 201


def test_an_address_that_guesses_is_made_to_wait(api: Api) -> None:
    for _guess in range(Tries.MOST):
        assert api.post("/v1/tokens", json={"link_code": "x"}).json["code"] == "code-invalid"
    answer = api.post("/v1/tokens", json={"link_code": "x"})
    assert (answer.status_code, answer.json["code"]) == (429, "rate-limited")
    assert 0 < int(answer.headers["Retry-After"]) <= Tries.SECONDS


def test_of_parallel_uses_one_succeeds(api: Api, app_services: Services) -> None:
    _player, first = api.new_player()
    codes, code = LinkCodes(app_services.client), code_of(api, first)
    with ThreadPoolExecutor(20) as pool:
        used = [*pool.map(codes.use, [code] * 20)]
    assert sum(maker is not None for maker in used) == 1
