"""A packed game answers as it did before, byte for byte, in this process and in a new one."""

from dataclasses import replace
from typing import Any

import pytest

from events.redis_store import log_key, packed_key
from events.vocabulary import SHARDS, GameId
from service.wiring import Services
from service.workers.packing import pack_finished
from tests.api.conftest import Api, body_of
from tests.api.test_games import finished_game
from tests.api.test_idempotency import KEY, other_process

NDJSON = {"Accept": "application/x-ndjson"}
Answer = tuple[int, str | None, str | None, bytes]


def pack_all(parts: Services) -> None:
    """As the ticker does some time after a game's end."""
    at_once = replace(parts, settings=replace(parts.settings, pack_after=0))
    while pack_finished(at_once, SHARDS):
        pass


def ended_games(api: Api, tokens: list[str]) -> list[str]:
    """One game that was played out by persons and one that was aborted, both of two seats."""
    finished = finished_game(api, tokens, target=3)
    seats = [{"kind": "me"}, {"kind": "bot"}]
    aborted = api.new_game(tokens[0], players=2, seats=seats)["id"]
    body_of(api.post(f"/v1/games/{aborted}/abort", token=tokens[0]))
    return [finished, aborted]


def questions(game: str, last: int) -> list[tuple[str, dict[str, str]]]:
    """Everything that can be asked of an ended game: paths and headers."""
    path, versions = f"/v1/games/{game}", range(1, last + 1)
    plain = [path, f"{path}/replay", f"{path}/replay?seat=1", f"{path}/rounds"]
    plain += [f"{path}?version={version}" for version in versions]
    plain += [f"{path}/replay/{version}" for version in versions]
    plain += [f"{path}/replay/{version}?seat=1" for version in versions[::5]]
    plain += [f"{path}/replay/{last + 1}", f"{path}?version={last + 1}"]
    plain += [f"{path}/events?limit=100&after={after}" for after in range(0, last + 100, 100)]
    plain += [f"{path}/events?limit=7&after={after}" for after in versions[::20]]
    plain += [f"{path}/events?wait=5&after={last - 1}"]
    streams = [f"{path}/stream?after={after}" for after in (0, *versions[::9], last, last + 1)]
    streams += [f"{path}/stream", f"{path}/stream?snapshot=true&after=3"]
    resumed = [(f"{path}/stream", {"Last-Event-ID": str(after)}) for after in (0, last // 2, last)]
    resumed += [(each, headers) for each in streams for headers in ({}, NDJSON)]
    return [*((each, {}) for each in plain), *resumed]


def answered(api: Api, tokens: list[str | None], games: dict[str, int]) -> list[Answer]:
    """What everybody is answered to all questions."""
    answers: list[Answer] = []
    for game, last in games.items():
        for path, headers in questions(game, last):
            for token in tokens:
                got: Any = api.get(path, token=token, headers=headers)
                told = got.headers.get("ETag"), got.headers.get("Cache-Control")
                answers.append((got.status_code, *told, got.get_data()))
                got.close()
    return answers


def test_every_answer_is_the_same_before_and_after(api: Api, app_services: Services) -> None:
    tokens: list[str] = [api.new_player()[1] for _seat in range(2)]
    asking = [tokens[0], None]
    games = {
        game: body_of(api.get(f"/v1/games/{game}"))["version"] for game in ended_games(api, tokens)
    }
    before = answered(api, asking, games)
    assert {status for status, *_rest in before} == {200, 404}
    pack_all(app_services)
    for game in games:
        assert app_services.client.exists(packed_key(GameId(game)))
        assert not app_services.client.exists(log_key(GameId(game)))
    assert answered(api, asking, games) == before
    assert answered(other_process(app_services), asking, games) == before


def test_a_packed_game_refuses_as_before_and_has_a_rematch(
    api: Api, app_services: Services
) -> None:
    tokens = [api.new_player()[1] for _seat in range(2)]
    path = f"/v1/games/{finished_game(api, tokens)}"
    action = {"type": "play_card", "card": "JS"}
    before = api.post(f"{path}/actions", json=action, token=tokens[0])
    pack_all(app_services)
    for asks in (api, other_process(app_services)):
        after = asks.post(f"{path}/actions", json=action, token=tokens[0])
        assert (after.status_code, after.json) == (before.status_code, before.json)
    rematch = body_of(api.post(f"{path}/rematch", token=tokens[0], headers=KEY), 201)
    assert body_of(api.get(path))["rematch"] == rematch["id"]
    again = other_process(app_services).post(f"{path}/rematch", token=tokens[0], headers=KEY)
    assert (again.headers["Idempotent-Replayed"], again.json) == ("true", rematch)


@pytest.mark.parametrize("is_forgotten", [False, True])
def test_a_key_never_makes_a_new_game_where_a_packed_one_lies(
    api: Api, app_services: Services, *, is_forgotten: bool
) -> None:
    _player, token = api.new_player()
    body = {"players": 2, "seats": [{"kind": "me"}, {"kind": "bot"}]}
    made = body_of(api.post("/v1/games", json=body, token=token, headers=KEY), 201)
    body_of(api.post(f"/v1/games/{made['id']}/abort", token=token))
    pack_all(app_services)
    if is_forgotten:
        for key in app_services.client.scan_iter("*:requests:*"):
            app_services.client.delete(key)
    again = api.post("/v1/games", json=body, token=token, headers=KEY)
    if is_forgotten:
        assert body_of(again, 422)["code"] == "idempotency-key-reused"
    else:
        assert body_of(again, 201) == made


def test_what_is_remembered_for_an_ended_game_is_forgotten_in_time(
    api: Api, app_services: Services
) -> None:
    tokens = [api.new_player()[1] for _seat in range(2)]
    game = finished_game(api, tokens)
    key = f"pepper:{{{game[2]}}}:requests:{game}"
    app_services.client.delete(key)
    for token in tokens:
        api.post(f"/v1/games/{game}/rematch", token=token, headers=KEY)
        assert 0 < int(app_services.client.ttl(key)) <= 7 * 24 * 3600
        app_services.client.delete(key)
