"""Recovery codes over HTTP: everything back, once, and nobody else left inside."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest
from redis import Redis

from events.vocabulary import PlayerId
from service.players.accounts import SCOPES, Caller, Players
from service.players.codes import Tries
from service.players.recovery import Recovery
from service.players.tokens import MOST_TOKENS, MakerRevoked, Tokens
from service.wiring import Services
from tests.api.conftest import Api, body_of

NOW = 1_800_000_000_000


def code_of(api: Api, token: str) -> str:
    return str(body_of(api.post("/v1/me/recovery-code", token=token), 201)["code"])


def use(api: Api, code: str, **more: Any) -> Any:
    return api.post("/v1/tokens", json={"recovery_code": code, **more})


def test_a_code_gives_the_player_back_and_ends_all_other_tokens(api: Api) -> None:
    player, first = api.new_player("Ana")
    body = {"name": "Less", "scopes": ["read"], "expires_in": 3600}
    less = api.post("/v1/tokens", json=body, token=first).json["token"]
    made = body_of(use(api, code_of(api, first), name="New phone"), 201)
    info = made["token_info"]
    assert (info["name"], info["scopes"], info["expires_at"]) == ("New phone", [*SCOPES], None)
    assert api.get("/v1/me", token=made["token"]).json["id"] == player
    assert [each["id"] for each in api.get("/v1/tokens", token=made["token"]).json["items"]] == [
        info["id"]
    ]
    for old in (first, less):
        assert api.get("/v1/me", token=old).json["code"] == "token-invalid"


def test_a_code_works_once(api: Api) -> None:
    _player, first = api.new_player()
    code = code_of(api, first)
    kept = body_of(use(api, code), 201)["token"]
    again = use(api, code)
    assert (again.status_code, again.json["code"]) == (403, "code-invalid")
    assert api.get("/v1/me", token=kept).status_code == 200


def test_a_new_code_replaces_the_old_one(api: Api, redis_client: Redis) -> None:
    _player, first = api.new_player()
    old, new = code_of(api, first), code_of(api, first)
    assert use(api, old).json["code"] == "code-invalid"
    assert len(cast(list[bytes], redis_client.keys("pepper:{r:*"))) == 1
    assert use(api, new).status_code == 201


def test_a_bot_is_recovered_as_one(api: Api) -> None:
    _player, first = api.new_player(bot=True)
    token = body_of(use(api, code_of(api, first)), 201)["token"]
    body = {"players": 2, "allow_bots": False, "seats": [{"kind": "me"}, {"kind": "bot"}]}
    assert api.post("/v1/games", json=body, token=token).json["code"] == "bots-not-allowed"


def test_a_full_set_of_tokens_hinders_nobody(api: Api) -> None:
    _player, first = api.new_player()
    code, body = code_of(api, first), {"name": "More", "scopes": ["read"]}
    for _more in range(MOST_TOKENS - 1):
        assert api.post("/v1/tokens", json=body, token=first).status_code == 201
    assert use(api, code).status_code == 201


def test_a_link_code_made_before_is_good_for_nothing(api: Api) -> None:
    _player, first = api.new_player()
    link = api.post("/v1/me/link-code", token=first).json["code"]
    assert use(api, code_of(api, first)).status_code == 201
    assert api.post("/v1/tokens", json={"link_code": link}).json["code"] == "code-invalid"


def test_only_the_scope_account_gets_a_code(api: Api) -> None:
    _player, first = api.new_player()
    body = {"name": "Less", "scopes": ["read", "play", "webhooks"]}
    less = api.post("/v1/tokens", json=body, token=first).json["token"]
    assert api.post("/v1/me/recovery-code", token=less).json["code"] == "scope-missing"
    assert api.post("/v1/me/recovery-code").json["code"] == "token-missing"


def test_only_a_hash_is_kept_and_the_code_may_be_typed_small(api: Api, redis_client: Redis) -> None:
    _player, first = api.new_player()
    code = code_of(api, first)
    for key in cast(list[bytes], redis_client.keys("*")):
        assert code.encode() not in key + cast(bytes, redis_client.dump(key))
    typed = "-".join(code[start : start + 6] for start in range(0, 24, 6)).lower()
    assert use(api, typed).status_code == 201


@pytest.mark.parametrize("change", [{"recovery_code": 3}, {"name": ""}, {"scopes": ["read"]}])
def test_bodies_that_do_not_fit(api: Api, change: dict[str, Any]) -> None:
    answer = api.post("/v1/tokens", json={"recovery_code": "x", **change})
    assert (answer.status_code, answer.json["code"]) == (422, "invalid-body")


def test_tries_are_counted_together_with_those_of_link_codes(api: Api) -> None:
    for guess in range(Tries.MOST):
        body = {"recovery_code": "x"} if guess % 2 else {"link_code": "x"}
        assert api.post("/v1/tokens", json=body).json["code"] == "code-invalid"
    answer = use(api, "x")
    assert (answer.status_code, answer.json["code"]) == (429, "rate-limited")


def test_of_parallel_uses_one_succeeds_and_one_token_is_left(app_services: Services) -> None:
    client = app_services.client
    account, _first = Players(client).create("Ana", NOW, is_bot=False)
    recovery = Recovery(client)
    code = recovery.make(account.id, NOW)
    with ThreadPoolExecutor(20) as pool:
        made = [*pool.map(lambda _use: recovery.use(code, "Phone", NOW), range(20))]
    (won,) = (token for token in made if token is not None)
    assert [info.id for info in Tokens(client).infos(account.id)] == [won.id]


def test_of_parallel_codes_one_is_good(app_services: Services) -> None:
    client = app_services.client
    account, _first = Players(client).create("Ana", NOW, is_bot=False)
    recovery = Recovery(client)
    with ThreadPoolExecutor(20) as pool:
        codes = [*pool.map(lambda _make: recovery.make(account.id, NOW), range(20))]
    assert sum(recovery.use(code, "Phone", NOW) is not None for code in codes) == 1


def test_a_token_that_is_being_made_meanwhile_does_not_outlive_its_maker(
    app_services: Services,
) -> None:
    client = app_services.client
    account, first = Players(client).create("Ana", NOW, is_bot=False)
    tokens, recovery = Tokens(client), Recovery(client)
    thief = Caller(
        account.id, is_bot=False, token_id=first.id, scopes=frozenset(SCOPES), expires_at=None
    )

    def steal(_try: int) -> None:
        try:
            tokens.make(thief, "Thief", SCOPES, NOW, None)
        except MakerRevoked:
            return

    code = recovery.make(account.id, NOW)
    with ThreadPoolExecutor(9) as pool:
        stolen = [pool.submit(steal, number) for number in range(40)]
        won = recovery.use(code, "Phone", NOW)
        for each in stolen:
            each.result()
    assert won is not None
    assert [info.id for info in tokens.infos(account.id)] == [won.id]


def test_nothing_is_good_once_it_is_forgotten(app_services: Services, redis_client: Redis) -> None:
    account, _first = Players(app_services.client).create("Ana", NOW, is_bot=False)
    recovery = Recovery(app_services.client)
    code = recovery.make(account.id, NOW)
    assert recovery.made_at(account.id) == NOW
    recovery.forget(account.id)
    recovery.forget(PlayerId("p_nobody"))
    assert recovery.made_at(account.id) is None
    assert recovery.use(code, "Phone", NOW) is None
    assert not redis_client.keys("pepper:{r:*")
