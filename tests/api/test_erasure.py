"""Erasure over HTTP: nobody speaks for the player, their name is nowhere, games stay as played."""

import json
from collections.abc import Iterator
from typing import Any, cast

import pytest
from redis import Redis

from events.vocabulary import GameId
from service.api import streaming
from service.api.app import create_app
from service.wiring import Services
from service.workers.erasing import finish_erasures
from service.workers.follower import keep_lobby
from service.workers.inbox_notices import InboxKeeper
from service.workers.webhook_news import tell_webhooks
from tests.api.conftest import Api, body_of
from tests.api.test_games import finished_game
from tests.api.test_http import addresses
from tests.workers.test_follower import news

NAME = "Quetzalcoatl"
OPEN = [{"kind": "me"}, {"kind": "open"}, {"kind": "bot"}]


class Erased:
    """A player with a game of every status, and what they held."""

    def __init__(self, api: Api, parts: Services) -> None:
        self.api, self.parts = api, parts
        self._inbox = InboxKeeper(parts)
        self.player, self.token = api.new_player(NAME)
        _friend, self.friends = api.new_player("Ben")
        self.finished = finished_game(api, [self.token, self.friends])
        self.running = str(api.new_game(self.token, players=2)["id"])
        self.alone = str(api.new_game(self.token, players=3, seats=OPEN)["id"])
        self.shared = str(
            api.new_game(self.token, players=3, seats=OPEN, visibility="public")["id"]
        )
        self.others = str(api.new_game(self.friends, players=3, seats=OPEN, start="manual")["id"])
        api.post(f"/v1/games/{self.others}/seats/1", token=self.token)
        hook = {"url": f"https://example.org/{NAME}", "events": ["turn", "game_started"]}
        body_of(api.post("/v1/webhooks", json=hook, token=self.token), 201)
        body = {"name": NAME, "scopes": ["read", "account"]}
        self.second = api.post("/v1/tokens", json=body, token=self.token).json["token"]
        self.link = api.post("/v1/me/link-code", token=self.token).json["code"]
        self.code = api.post("/v1/me/recovery-code", token=self.token).json["code"]
        self.follow()

    def games(self) -> list[str]:
        return [self.finished, self.running, self.alone, self.shared, self.others]

    def follow(self) -> None:
        """Bring lists, inboxes and webhooks up to date, as the follower would."""
        entries = news(self.parts)
        keep_lobby(self.parts, entries)
        self._inbox.keep(entries)
        tell_webhooks(self.parts, entries)

    def erase(self) -> Any:
        return self.api.delete(f"/v1/me?confirm={self.player}", token=self.token)

    def finish(self) -> None:
        """What the follower does within seconds."""
        finish_erasures(self.parts)
        self.follow()


@pytest.fixture
def erased(api: Api, app_services: Services) -> Erased:
    return Erased(api, app_services)


def seats_of(api: Api, game: str) -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], api.get(f"/v1/games/{game}").json["seats"])


def held(store: Redis) -> Iterator[bytes]:
    """Every key, field and value of the store, as they are."""
    for key in cast(list[bytes], store.keys("*")):
        yield key
        match store.type(key):
            case b"string":
                yield cast(bytes, store.get(key))
            case b"hash":
                for item in cast(dict[bytes, bytes], store.hgetall(key)).items():
                    yield from item
            case b"set":
                yield from cast(set[bytes], store.smembers(key))
            case b"zset":
                yield from cast(list[bytes], store.zrange(key, 0, -1))
            case b"list":
                yield from cast(list[bytes], store.lrange(key, 0, -1))
            case b"stream":
                for _id, fields in cast(list[tuple[bytes, dict[bytes, bytes]]], store.xrange(key)):
                    yield from fields.values()
            case kind:
                raise AssertionError(f"{key!r} is a {kind!r}")


def test_at_once_nobody_speaks_for_the_player(erased: Erased, api: Api) -> None:
    answer = erased.erase()
    assert (answer.status_code, answer.get_data()) == (202, b"")
    for token in (erased.token, erased.second):
        again = api.delete(f"/v1/me?confirm={erased.player}", token=token)
        assert (again.status_code, again.json["code"]) == (401, "token-invalid")
    for body in ({"link_code": erased.link}, {"recovery_code": erased.code}):
        assert api.post("/v1/tokens", json=body).json["code"] == "code-invalid"
    assert api.get(f"/v1/players/{erased.player}").json["code"] == "player-unknown"
    assert seats_of(api, erased.finished)[0]["player"]["name"] == "Deleted player"


@pytest.mark.parametrize("query", ["", "?confirm=", "?confirm=p_other", "?confirm=true"])
def test_without_the_own_id_nothing_happens(api: Api, query: str) -> None:
    _player, token = api.new_player(NAME)
    answer = api.delete(f"/v1/me{query}", token=token)
    assert (answer.status_code, answer.json["code"]) == (400, "malformed-query")
    assert api.get("/v1/me", token=token).json["name"] == NAME


def test_only_the_scope_account_may(api: Api) -> None:
    player, first = api.new_player()
    body = {"name": "Less", "scopes": ["read", "play", "webhooks"]}
    less = api.post("/v1/tokens", json=body, token=first).json["token"]
    path = f"/v1/me?confirm={player}"
    assert api.delete(path, token=less).json["code"] == "scope-missing"
    assert api.delete(path).json["code"] == "token-missing"


def test_seats_are_free_before_the_start_and_a_bots_after_it(erased: Erased, api: Api) -> None:
    api.post(f"/v1/games/{erased.shared}/seats/1", token=api.new_player()[1])
    erased.erase()
    erased.finish()
    seat = seats_of(api, erased.running)[0]
    assert (seat["kind"], seat["acting_bot"]) == ("human", True)
    assert seat["player"] == {"id": erased.player, "name": "Deleted player", "bot": False}
    assert api.get(f"/v1/games/{erased.alone}").json["status"] == "aborted"
    assert seats_of(api, erased.others)[1]["kind"] == "open"
    assert seats_of(api, erased.others)[0]["kind"] == "human"


def test_a_started_game_goes_on_to_its_end(erased: Erased, api: Api) -> None:
    erased.erase()
    erased.finish()
    api.bots_play(erased.running)
    assert api.get(f"/v1/games/{erased.running}").json["status"] == "finished"


def test_whoever_sits_on_inherits_the_game(erased: Erased, api: Api) -> None:
    heir, token = api.new_player()
    body = {"players": 3, "seats": OPEN, "start": "manual"}
    game = api.post("/v1/games", json=body, token=erased.token).json["id"]
    api.post(f"/v1/games/{game}/seats/1", token=token)
    erased.follow()
    erased.erase()
    erased.finish()
    view = api.get(f"/v1/games/{game}").json
    assert (view["status"], view["creator"]) == ("open", heir)


@pytest.mark.parametrize("start", ["auto", "manual"])
@pytest.mark.parametrize("is_joined", [True, False])
def test_a_game_that_only_its_creator_can_begin_is_aborted(
    erased: Erased, api: Api, start: str, *, is_joined: bool
) -> None:
    body = {"players": 2, "seats": [{"kind": "open"}, {"kind": "open"}], "start": start}
    game = api.post("/v1/games", json=body, token=erased.token).json["id"]
    if is_joined:
        api.post(f"/v1/games/{game}/seats/0", token=erased.friends)
    erased.follow()
    erased.erase()
    erased.finish()
    expected = "open" if is_joined and start == "auto" else "aborted"
    assert api.get(f"/v1/games/{game}").json["status"] == expected


def test_of_the_player_nothing_is_kept_but_that_they_were_erased(
    erased: Erased, redis_client: Redis
) -> None:
    erased.erase()
    erased.finish()
    mine = redis_client.keys(f"pepper:{{p:{erased.player}}}:*")
    assert mine == [f"pepper:{{p:{erased.player}}}:erased".encode()]
    for pattern in ("pepper:{r:*", "pepper:{webhooks}:due"):
        assert redis_client.keys(pattern) == []
    tokens = [redis_client.hget(key, "player") for key in redis_client.keys("pepper:{t:*")]
    assert erased.player.encode() not in tokens


def test_the_name_is_nowhere(
    erased: Erased, api: Api, app_services: Services, redis_client: Redis
) -> None:
    assert sum(NAME.encode() in each for each in held(redis_client)) == 3
    erased.erase()
    erased.finish()
    assert not any(NAME.encode() in each for each in held(redis_client))
    app_services.dismiss()
    looked = 0
    for game in erased.games():
        for url, methods in addresses(app_services, game, erased.player):
            for token in (erased.friends, None) if "GET" in methods else ():
                headers = {"Accept": "text/html"} if url.startswith("/g/") else None
                answer = api.get(url, token=token, headers=headers)
                assert NAME not in answer.text, url
                looked += answer.status_code == 200
    assert looked > 60


def test_replays_stay_as_they_were_but_for_the_name(erased: Erased, api: Api) -> None:
    path = f"/v1/games/{erased.finished}"
    parts = (f"{path}/replay", f"{path}/replay/9", f"{path}/events", f"{path}/rounds")
    before = [api.get(part).text for part in parts]
    log = erased.parts.table.log(GameId(erased.finished))
    running = erased.parts.table.log(GameId(erased.running))
    erased.erase()
    erased.finish()
    after = [api.get(part).text for part in parts]
    assert NAME in before[0]
    assert after == [text.replace(NAME, "Deleted player") for text in before]
    assert "log_hash" in before[0]
    assert erased.parts.table.log(GameId(erased.finished)) == log
    assert erased.parts.table.log(GameId(erased.running))[: len(running)] == running


def test_a_stream_of_the_player_ends(erased: Erased, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "KEEP_ALIVE", 0.05)
    headers = {"Accept": "application/x-ndjson", "Authorization": f"Bearer {erased.token}"}
    unchecked = create_app(erased.parts).test_client()
    stream = unchecked.get(f"/v1/games/{erased.others}/stream", headers=headers)
    lines = iter(stream.response)
    next(lines)
    erased.erase()
    last = [*lines][-1]
    assert json.loads(cast(bytes, last))["reason"] == "token-invalid"


def test_a_late_copy_of_the_first_request_brings_nobody_back(
    api: Api, app_services: Services, redis_client: Redis
) -> None:
    headers = {"Idempotency-Key": "9a5f3b52-7d0c-4f4e-9a53-5a3b7c1d2e4f"}
    made = body_of(api.post("/v1/players", json={"name": NAME}, headers=headers), 201)
    player, token = made["player"]["id"], made["token"]
    api.delete(f"/v1/me?confirm={player}", token=token)
    finish_erasures(app_services)
    for _time in range(3):
        copy = api.post("/v1/players", json={"name": NAME}, headers=headers)
        assert (copy.status_code, copy.json["code"]) == (422, "idempotency-key-reused")
        for key in redis_client.keys(f"pepper:{{p:{player}}}:request:*"):
            redis_client.delete(key)
    assert api.get("/v1/me", token=token).json["code"] == "token-invalid"
    assert not any(NAME.encode() in each for each in held(redis_client))


def test_an_export_has_all_that_an_erasure_takes(erased: Erased, api: Api) -> None:
    kept = body_of(api.get("/v1/me/export", token=erased.token))
    assert kept["profile"]["name"] == NAME
    assert len(kept["tokens"]) == 2
    assert len(kept["webhooks"]) == 1
    assert {game["id"] for game in kept["games"]} == set(erased.games())
