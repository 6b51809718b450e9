"""An `Idempotency-Key` does a thing once: copies, other devices, restarts, other bodies."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from redis import Redis

from events.vocabulary import GameId
from service.api import games
from service.api.app import create_app
from service.wiring import Services, services
from tests.api.conftest import Api, CheckedClient, body_of
from tests.api.test_games import finished_game

KEY = {"Idempotency-Key": "tap 1"}


def other_process(parts: Services) -> Api:
    """The same service as a process sees it that has just begun."""
    fresh = services(parts.settings)
    app = create_app(fresh)
    app.test_client_class = CheckedClient
    client = app.test_client()
    assert isinstance(client, CheckedClient)
    return Api(client, fresh)


def first_action(api: Api, token: str) -> tuple[str, dict[str, Any]]:
    """A game where it is the player's turn, and something they may do."""
    game = api.new_game(token)["id"]
    api.bots_play(game)
    view = body_of(api.get(f"/v1/games/{game}", token=token))
    return f"/v1/games/{game}", view["you"]["legal_actions"][0]


def test_a_repeated_action_is_done_once_and_answered_alike(
    api: Api, app_services: Services
) -> None:
    _player, token = api.new_player()
    url, action = first_action(api, token)
    first = api.post(f"{url}/actions", json=action, token=token, headers=KEY)
    assert "Idempotent-Replayed" not in first.headers
    api.bots_play(url.rpartition("/")[2])
    length = body_of(api.get(url, token=token))["version"]
    stale = {**KEY, "If-Match": '"1"'}
    for asks, headers in ((api, KEY), (other_process(app_services), KEY), (api, stale)):
        again = asks.post(f"{url}/actions", json=action, token=token, headers=headers)
        assert again.headers["Idempotent-Replayed"] == "true"
        assert body_of(again) == body_of(first)
        assert again.headers["ETag"] == first.headers["ETag"]
    assert body_of(api.get(url, token=token))["version"] == length


def test_twenty_copies_at_once_of_two_devices_do_it_once(api: Api, app_services: Services) -> None:
    _player, token = api.new_player()
    url, action = first_action(api, token)
    phone = {"name": "Phone", "scopes": ["play"]}
    tokens = [token, body_of(api.post("/v1/tokens", json=phone, token=token), 201)["token"]]
    asking = [other_process(app_services) for _copy in range(4)]

    def send(number: int) -> Any:
        asks, device = asking[number % 4], tokens[number // 10]
        return asks.post(f"{url}/actions", json=action, token=device, headers=KEY)

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(send, range(20)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.headers["ETag"] for answer in answers}) == 1
    assert sum("Idempotent-Replayed" not in answer.headers for answer in answers) == 1


def test_one_key_asks_one_thing(api: Api) -> None:
    _player, token = api.new_player()
    url, action = first_action(api, token)
    body_of(api.post(f"{url}/actions", json=action, token=token, headers=KEY))
    other = {"type": "play_card", "card": "9C"}
    answer = api.post(f"{url}/actions", json=other, token=token, headers=KEY)
    assert body_of(answer, 422)["code"] == "idempotency-key-reused"
    seat = api.post(f"{url}/seats", json={}, token=token, headers=KEY)
    assert body_of(seat, 422)["code"] == "idempotency-key-reused"


@pytest.mark.parametrize("other", [b"", b"{", b"[]", b"{}", b'{"type": "bid", "bid": "9"}'])
def test_the_key_comes_before_the_body(api: Api, other: bytes) -> None:
    _player, token = api.new_player()
    url, action = first_action(api, token)
    sent = {**KEY, "Content-Type": "application/json"}
    body_of(api.post(f"{url}/actions", json=action, token=token, headers=KEY))
    for path in (f"{url}/actions", f"{url}/seats", f"{url}/start", f"{url}/rematch"):
        answer = api.post(path, data=other, token=token, headers={**sent, "If-Match": "x"})
        assert body_of(answer, 422)["code"] == "idempotency-key-reused"
    body_of(api.post("/v1/games", json={"players": 4}, token=token, headers=KEY), 201)
    answer = api.post("/v1/games", data=other, token=token, headers=sent)
    assert body_of(answer, 422)["code"] == "idempotency-key-reused"


@pytest.mark.parametrize("path", ["/v1/players", "/v1/games", "/v1/tokens", "/v1/webhooks"])
@pytest.mark.parametrize("deep", [b'{"a":%s}', b"%s"])
def test_a_body_that_is_nested_deep_is_refused(api: Api, path: str, deep: bytes) -> None:
    _player, token = api.new_player()
    nested = deep % (b"[" * 500 + b"]" * 500)
    sent = {**LONG_KEY, "Content-Type": "application/json"}
    answer = api.post(path, data=nested, token=token, headers=sent)
    assert body_of(answer, 422)["code"] == "invalid-body"


def test_a_last_game_is_shown_again(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    player, token = api.new_player()
    made = body_of(api.post("/v1/games", json={"players": 4}, token=token, headers=KEY), 201)
    api.lobby_notices(made["id"])
    monkeypatch.setattr(games, "MOST_UNFINISHED", 1)
    refused = api.post("/v1/games", json={"players": 4}, token=token)
    assert body_of(refused, 409)["code"] == "too-many-open-games"
    again = api.post("/v1/games", json={"players": 4}, token=token, headers=KEY)
    assert body_of(again, 201)["id"] == made["id"]
    assert player == made["creator"]


def test_a_body_spelled_otherwise_is_the_same(api: Api) -> None:
    _player, token = api.new_player()
    made = [
        api.post("/v1/games", data=data, token=token, headers={**KEY, "Content-Type": kind})
        for data, kind in (
            (b'{"players":4,"start":"auto"}', "application/json"),
            (b'{ "start": "auto", "players": 4 }', "application/json; charset=utf-8"),
        )
    ]
    assert body_of(made[0], 201) == body_of(made[1], 201)


def test_keys_of_two_players_are_two(api: Api) -> None:
    tokens = [api.new_player()[1] for _player in range(2)]
    made = [api.post("/v1/games", json={"players": 4}, token=each, headers=KEY) for each in tokens]
    assert body_of(made[0], 201)["id"] != body_of(made[1], 201)["id"]
    assert "Idempotent-Replayed" not in made[1].headers


def test_a_game_is_made_once(api: Api, app_services: Services) -> None:
    _player, token = api.new_player()
    asking = [other_process(app_services) for _copy in range(4)]

    def send(number: int) -> Any:
        body = {"players": 3}
        return asking[number % 4].post("/v1/games", json=body, token=token, headers=KEY)

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(send, range(20)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.headers["Location"] for answer in answers}) == 1
    assert len({answer.headers["ETag"] for answer in answers}) == 1
    other = api.post("/v1/games", json={"players": 2}, token=token, headers=KEY)
    assert body_of(other, 422)["code"] == "idempotency-key-reused"


def test_a_key_of_a_game_long_gone_makes_no_second(api: Api, redis_client: Redis) -> None:
    _player, token = api.new_player()
    made = body_of(api.post("/v1/games", json={"players": 4}, token=token, headers=KEY), 201)
    redis_client.delete(f"pepper:{{{made['id'][2]}}}:requests:{made['id']}")
    again = api.post("/v1/games", json={"players": 4}, token=token, headers=KEY)
    assert body_of(again, 422)["code"] == "idempotency-key-reused"


def test_what_was_refused_is_not_remembered(api: Api) -> None:
    _player, token = api.new_player()
    url, action = first_action(api, token)
    late = {**KEY, "If-Match": '"1"'}
    body_of(api.post(f"{url}/actions", json=action, token=token, headers=late), 412)
    done = api.post(f"{url}/actions", json=action, token=token, headers=KEY)
    assert done.status_code == 200
    assert "Idempotent-Replayed" not in done.headers


def test_a_late_copy_takes_no_seat_back(api: Api) -> None:
    owner, guest = api.new_player()[1], api.new_player()[1]
    seats = [{"kind": "me"}, {"kind": "open"}]
    game = api.new_game(owner, players=2, seats=seats, start="manual")["id"]
    url = f"/v1/games/{game}/seats"
    body_of(api.post(url, json={}, token=guest, headers=KEY))
    unchanged = {"Idempotency-Key": "tap 2"}
    body_of(api.post(url, json={}, token=guest, headers=unchanged))
    body_of(api.delete(f"{url}/1", token=guest))
    for headers in (KEY, unchanged):
        again = api.post(url, json={}, token=guest, headers=headers)
        assert again.headers["Idempotent-Replayed"] == "true"
    assert body_of(api.get(f"/v1/games/{game}"))["seats"][1]["kind"] == "open"


def test_a_rematch_is_made_once_and_says_so_again(api: Api) -> None:
    tokens = [api.new_player()[1] for _seat in range(2)]
    url = f"/v1/games/{finished_game(api, tokens)}/rematch"
    first = [api.post(url, token=token, headers=KEY) for token in tokens]
    again = [api.post(url, token=token, headers=KEY) for token in tokens]
    assert [answer.status_code for answer in first + again] == [201, 200, 201, 200]
    assert [body_of(answer, answer.status_code) for answer in again] == [
        body_of(answer, answer.status_code) for answer in first
    ]


@pytest.mark.parametrize("key", ["", "x" * 65, "caf\xe9", "a\tb"])
def test_a_key_that_is_none(api: Api, key: str) -> None:
    token = api.new_player()[1]
    answer = api.post(
        "/v1/games", json={"players": 4}, token=token, headers={"Idempotency-Key": key}
    )
    assert body_of(answer, 400)["code"] == "malformed-header"


def test_a_key_without_a_good_token_does_nothing(api: Api, redis_client: Redis) -> None:
    url, action = first_action(api, api.new_player()[1])
    before = redis_client.dbsize()
    for token, code in ((None, "token-missing"), ("pepper_x", "token-invalid")):
        answer = api.post(f"{url}/actions", json=action, token=token, headers=KEY)
        assert body_of(answer, 401)["code"] == code
    assert redis_client.dbsize() == before


def test_a_spectator_learns_nothing_from_a_players_key(api: Api, app_services: Services) -> None:
    token, other = api.new_player()[1], api.new_player()[1]
    url, action = first_action(api, token)
    body_of(api.post(f"{url}/actions", json=action, token=token, headers=KEY))
    answer = api.post(f"{url}/actions", json=action, token=other, headers=KEY)
    assert body_of(answer, 403)["code"] == "not-seated"
    assert app_services.table.look(GameId(url.rpartition("/")[2])).version


LONG_KEY = {"Idempotency-Key": "0b4e4f6b9d0e3f1f0c7a5b11"}


def test_a_player_is_made_once(api: Api, app_services: Services) -> None:
    asking = [other_process(app_services) for _copy in range(4)]

    def send(number: int) -> Any:
        return asking[number % 4].post("/v1/players", json={}, headers=LONG_KEY)

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(send, range(20)))
    made = [body_of(answer, 201) for answer in answers]
    assert all(each == made[0] for each in made)
    assert body_of(api.get("/v1/me", token=made[0]["token"]))["id"] == made[0]["player"]["id"]
    other = api.post("/v1/players", json={"name": "Ana"}, headers=LONG_KEY)
    assert body_of(other, 422)["code"] == "idempotency-key-reused"


def test_a_key_that_can_be_guessed_makes_no_player(api: Api, redis_client: Redis) -> None:
    answer = api.post("/v1/players", json={}, headers={"Idempotency-Key": "x" * 21})
    assert body_of(answer, 400)["code"] == "malformed-header"
    assert redis_client.dbsize() == 0


def test_a_token_is_made_once_and_stays_revoked(api: Api, redis_client: Redis) -> None:
    _player, token = api.new_player()
    body = {"name": "Bot", "scopes": ["read", "play"], "expires_in": 3600}
    first, again = (
        body_of(api.post("/v1/tokens", json=body, token=token, headers=KEY), 201) for _ in "12"
    )
    assert first == again
    assert len(body_of(api.get("/v1/tokens", token=token))["items"]) == 2
    assert api.delete(f"/v1/tokens/{first['token_info']['id']}", token=token).status_code == 204
    late = api.post("/v1/tokens", json=body, token=token, headers=KEY)
    assert late.headers["Idempotent-Replayed"] == "true"
    assert api.get("/v1/me", token=first["token"]).status_code == 401
    secret = first["token"].removeprefix("pepper_").encode()
    assert not any(secret in (redis_client.dump(key) or b"") for key in redis_client.keys("*"))


def test_a_refused_token_is_not_remembered(api: Api) -> None:
    _player, token = api.new_player()
    body = {"name": "Bot", "scopes": ["read"]}
    for number in range(49):
        body_of(api.post("/v1/tokens", json={**body, "name": f"{number}"}, token=token), 201)
    refused = api.post("/v1/tokens", json=body, token=token, headers=KEY)
    assert body_of(refused, 409)["code"] == "too-many-tokens"
    one = body_of(api.get("/v1/tokens", token=token))["items"][-1]["id"]
    api.delete(f"/v1/tokens/{one}", token=token)
    done = api.post("/v1/tokens", json=body, token=token, headers=KEY)
    assert done.status_code == 201
    assert "Idempotent-Replayed" not in done.headers
