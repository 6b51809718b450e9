"""GET /v1/me/turns: what waits for the caller, all of it or what has begun since."""

import time
from typing import Any

import pytest

from events.redis_store import log_key
from events.vocabulary import GameId
from service.live.places import Places
from service.wiring import Services
from tests.api.conftest import Api, body_of, meanwhile

LONG = 20
PATH = "/v1/me/turns"


def waiting_game(api: Api, token: str, clock: dict[str, Any] | None = None) -> str:
    """A game with a bot that waits for the caller, as their inbox knows."""
    game = str(api.new_game(token, players=2, clock=clock)["id"])
    api.bots_play(game)
    api.inbox_notices()
    return game


def turns(api: Api, token: str, query: str = "") -> dict[str, Any]:
    return body_of(api.get(PATH + query, token=token))


def games(page: dict[str, Any]) -> list[str]:
    return [item["game"] for item in page["items"]]


def act(api: Api, token: str, item: dict[str, Any]) -> None:
    """The first legal action of a turn that waits, and the bots after it."""
    path, action = f"/v1/games/{item['game']}/actions", item["view"]["you"]["legal_actions"][0]
    body_of(api.post(path, json=action, token=token, headers={"If-Match": str(item["version"])}))
    api.bots_play(item["game"])


def test_all_waiting_turns_come_at_once_with_their_views(api: Api) -> None:
    _player, token = api.new_player("Ana")
    waiting = [waiting_game(api, token) for _ in range(3)]
    page = turns(api, token, f"?wait={LONG}")
    assert games(page) == waiting
    for item in page["items"]:
        assert item["view"] == body_of(api.get(f"/v1/games/{item['game']}", token=token))
        assert (item["version"], item["seat"]) == (item["view"]["version"], 0)
        assert item["deadline"] is None


def test_turns_come_by_deadline_those_without_one_last(api: Api) -> None:
    _player, token = api.new_player()
    untimed = waiting_game(api, token)
    slow = waiting_game(api, token, {"turn_seconds": 600, "on_timeout": "bot_plays"})
    quick = waiting_game(api, token, {"turn_seconds": 60, "on_timeout": "bot_takes_over"})
    page = turns(api, token)
    assert games(page) == [quick, slow, untimed]
    for item in page["items"]:
        assert item["deadline"] == item["view"]["turn"]["deadline"]


def test_with_a_cursor_only_turns_begun_since_come(api: Api) -> None:
    _player, token = api.new_player()
    waiting_game(api, token)
    cursor = turns(api, token)["cursor"]
    assert turns(api, token, f"?after={cursor}") == {"items": [], "cursor": cursor}
    later = waiting_game(api, token)
    page = turns(api, token, f"?after={cursor}")
    assert games(page) == [later]
    assert page["cursor"] != cursor


def test_a_turn_that_was_played_is_not_listed(api: Api) -> None:
    _player, token = api.new_player()
    game = api.new_game(token, players=2, seats=[{"kind": "me"}, {"kind": "open"}])
    _other, sitter = api.new_player()
    body_of(api.post(f"/v1/games/{game['id']}/seats", token=sitter))
    api.inbox_notices()
    mine, theirs = turns(api, token), turns(api, sitter)
    assert len(mine["items"]) + len(theirs["items"]) == 1
    first, second = (token, sitter) if mine["items"] else (sitter, token)
    act(api, first, (mine["items"] or theirs["items"])[0])
    assert games(turns(api, first)) == []  # though the follower has not said so yet
    api.inbox_notices()
    assert games(turns(api, first)) == []
    assert games(turns(api, second)) == [game["id"]]


def test_a_whole_game_can_be_played_by_turns_alone(api: Api) -> None:
    _player, token = api.new_player()
    game = api.new_game(token, players=2, rules={"target_score": 3})
    api.bots_play(game["id"])
    api.inbox_notices()
    page = turns(api, token)
    while page["items"]:
        (item,) = page["items"]
        act(api, token, item)
        api.inbox_notices()
        page = turns(api, token, f"?after={page['cursor']}")
    assert body_of(api.get(f"/v1/games/{game['id']}"))["status"] == "finished"
    assert turns(api, token)["items"] == []


def test_a_seat_in_which_a_bot_acts_has_no_turn_until_it_is_taken_back(api: Api) -> None:
    _player, token = api.new_player()
    game = waiting_game(api, token)
    body_of(api.delete(f"/v1/games/{game}/seats/0", token=token))
    assert turns(api, token)["items"] == []
    api.inbox_notices()
    cursor = turns(api, token)["cursor"]
    body_of(api.post(f"/v1/games/{game}/seats/0", token=token))
    api.inbox_notices()
    assert games(turns(api, token, f"?after={cursor}")) == [game]


def test_it_waits_until_a_turn_begins(api: Api, elsewhere: Api) -> None:
    _player, token = api.new_player()
    cursor, began = turns(api, token)["cursor"], time.monotonic()
    made: list[str] = []
    with meanwhile(lambda: made.append(waiting_game(elsewhere, token))):
        page = turns(api, token, f"?after={cursor}&wait={LONG}")
    assert games(page) == made
    assert time.monotonic() - began < LONG / 2


def test_when_the_time_is_up_the_page_is_empty(api: Api, app_services: Services) -> None:
    _player, token = api.new_player()
    assert turns(api, token, "?after=0-0&wait=1") == {"items": [], "cursor": "0-0"}
    assert app_services.bells.listeners() == 0
    assert app_services.wait_places.taken() == 0


def test_a_cursor_of_a_lost_inbox_gives_all_turns(api: Api) -> None:
    _player, token = api.new_player()
    game = waiting_game(api, token)
    latest = "9" * 18
    assert games(turns(api, token, f"?after={latest}-{latest}&wait={LONG}")) == [game]


@pytest.mark.parametrize("after", ["", "5", "-", "1-", "-1", "1-1-1", "x-1", "1-x", "$", "٣-٣"])
def test_a_cursor_that_no_page_gave_is_refused(api: Api, after: str) -> None:
    _player, token = api.new_player()
    answer = api.get(PATH, query_string={"after": after}, token=token)
    assert (answer.status_code, answer.json["code"]) == (400, "malformed-query")


def test_a_huge_cursor_is_refused(api: Api) -> None:
    _player, token = api.new_player()
    answer = api.get(f"{PATH}?after={'9' * 5000}-0", token=token)
    assert (answer.status_code, answer.json["code"]) == (400, "malformed-query")


@pytest.mark.parametrize("wait", ["-1", "26", "x", ""])
def test_a_wait_that_is_none_is_refused(api: Api, wait: str) -> None:
    _player, token = api.new_player()
    answer = api.get(f"{PATH}?wait={wait}", token=token)
    assert (answer.status_code, answer.json["code"]) == (400, "malformed-query")


def test_it_needs_a_token_that_may_read(api: Api) -> None:
    assert api.get(PATH).json["code"] == "token-missing"
    assert api.get(PATH, token="pepper_bad").json["code"] == "token-invalid"
    _player, token = api.new_player()
    less = body_of(
        api.post("/v1/tokens", json={"name": "x", "scopes": ["play"]}, token=token), 201
    )["token"]
    assert api.get(PATH, token=less).json["code"] == "scope-missing"


def test_who_waits_too_often_is_refused_and_told_what_is_there(
    api: Api, app_services: Services
) -> None:
    _player, token = api.new_player()
    game = waiting_game(api, token)
    fill(app_services.wait_places)
    page = turns(api, token, "?after=0-0&wait=5")
    assert games(page) == [game]
    refused = api.get(f"{PATH}?after={page['cursor']}&wait=5", token=token)
    assert (refused.status_code, refused.json["code"]) == (429, "too-many-waiting")


def fill(places: Places) -> None:
    for _ in range(places.total):
        places.take(None)


def test_a_game_that_cannot_be_read_hides_no_other(api: Api, app_services: Services) -> None:
    _player, token = api.new_player()
    lost, game = waiting_game(api, token), waiting_game(api, token)
    app_services.client.delete(log_key(GameId(lost)))
    app_services.client.xadd(log_key(GameId(lost)), {"e": b"no such event"})
    assert games(turns(api, token)) == [game]
