"""Games over HTTP: create, list, look, start, abort, rematch, and what caches may do."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.api.conftest import Api

OPEN = [{"kind": "me"}, {"kind": "open"}]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_number_of_players_is_enough_for_a_game(api: Api, players: int) -> None:
    _player, token = api.new_player()
    answer = api.post("/v1/games", json={"players": players}, token=token)
    view = answer.json
    assert answer.headers["Location"] == f"/v1/games/{view['id']}"
    assert (view["status"], view["phase"]) == ("in_progress", "auction")
    assert len(view["you"]["hand"]) == (6 if players == 4 else 8)
    assert [seat["kind"] for seat in view["seats"]] == ["human"] + ["bot"] * (players - 1)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "invalid-body"),
        ({"players": 5}, "invalid-body"),
        ({"players": "4"}, "invalid-body"),
        ({"players": True}, "invalid-body"),
        ({"players": 4, "colour": "red"}, "invalid-body"),
        ({"players": 4, "seats": "me"}, "invalid-body"),
        ({"players": 4, "seats": [{"kind": "me"}]}, "invalid-body"),
        ({"players": 4, "seats": OPEN}, "seats-invalid"),
        ({"players": 2, "seats": [{"kind": "me"}, {"kind": "me"}]}, "seats-invalid"),
        ({"players": 2, "seats": [{"kind": "me"}, {"kind": "player"}]}, "invalid-body"),
        (
            {"players": 2, "seats": [{"kind": "me"}, {"kind": "player", "player": "p_nobody"}]},
            "seats-invalid",
        ),
        (
            {"players": 2, "seats": [{"kind": "me"}, {"kind": "open", "level": "club"}]},
            "invalid-body",
        ),
        ({"players": 3, "rules": {"pepper_alone": True}}, "rules-invalid"),
        ({"players": 4, "rules": {"target_score": 0}}, "invalid-body"),
        ({"players": 4, "rules": {"target_score": 30.5}}, "invalid-body"),
        ({"players": 4, "rules": {"auction": "silent"}}, "invalid-body"),
        ({"players": 4, "hints": 1}, "invalid-body"),
        ({"players": 4, "clock": 30}, "invalid-body"),
        ({"players": 4, "clock": {}}, "invalid-body"),
        ({"players": 4, "clock": {"turn_seconds": 4}}, "invalid-body"),
        ({"players": 4, "clock": {"turn_seconds": 604_801}}, "invalid-body"),
        ({"players": 4, "clock": {"turn_seconds": "30"}}, "invalid-body"),
        ({"players": 4, "clock": {"turn_seconds": 30, "on_timeout": "lose"}}, "invalid-body"),
    ],
)
def test_games_that_cannot_be_made(api: Api, body: dict[str, Any], code: str) -> None:
    _player, token = api.new_player()
    answer = api.post("/v1/games", json=body, token=token)
    assert (answer.status_code, answer.json["code"]) == (422, code)


def test_a_game_with_a_clock_tells_when_a_turn_ends(api: Api) -> None:
    _player, token = api.new_player()
    seats = [{"kind": "me"}, {"kind": "open"}]
    game = api.new_game(token, players=2, seats=seats, clock={"turn_seconds": 30})
    assert game["clock"] == {"turn_seconds": 30, "on_timeout": "bot_plays"}
    assert game["turn"] is None
    assert game["expires_at"] > game["updated_at"]
    _other, second = api.new_player()
    started = api.post(f"/v1/games/{game['id']}/seats", token=second).json
    began, ends = started["updated_at"], started["turn"]["deadline"]
    assert datetime.fromisoformat(ends) - datetime.fromisoformat(began) == timedelta(seconds=30)
    assert started["expires_at"] is None


def test_entropy_is_not_accepted_with_the_creation(api: Api) -> None:
    _player, token = api.new_player()
    body = {"players": 2, "entropy": "x"}
    assert api.post("/v1/games", json=body, token=token).json["code"] == "invalid-body"


@pytest.mark.parametrize("game", ["g_0aaaaaaaaaaaaaaaa", "nonsense", "g_zaaaaaaaaaaaaaaaa", "g_0"])
def test_unknown_games(api: Api, game: str) -> None:
    _player, token = api.new_player()
    assert api.get(f"/v1/games/{game}").json["code"] == "game-unknown"
    assert api.get(f"/v1/games/{game}/replay").json["code"] == "game-unknown"
    assert api.post(f"/v1/games/{game}/seats", token=token).json["code"] == "game-unknown"
    body = {"type": "pass"}
    answer = api.post(f"/v1/games/{game}/actions", json=body, token=token)
    assert (answer.status_code, answer.json["code"]) == (404, "game-unknown")


def test_a_view_is_not_sent_twice(api: Api) -> None:
    _player, token = api.new_player()
    view = api.new_game(token, players=2, seats=OPEN)
    path = f"/v1/games/{view['id']}"
    first = api.get(path, token=token)
    assert first.headers["Cache-Control"] == "private, no-cache"
    assert {"Authorization", "Accept"} <= set(first.headers["Vary"].split(", "))
    etag = first.headers["ETag"]
    for known in (etag, f"W/{etag}", '"1"', '"2"', "2", 'W/"2"', f'"9", {etag}'):
        again = api.get(path, token=token, headers={"If-None-Match": known})
        expected = 304 if known != '"1"' else 200
        assert (known, again.status_code) == (known, expected)
    assert api.get(path, headers={"If-None-Match": etag}).status_code == 200


def test_a_version_is_shown_as_it_was(api: Api) -> None:
    _player, token = api.new_player()
    view = api.new_game(token)
    path = f"/v1/games/{view['id']}"
    api.bots_play(view["id"])
    own = api.get(path, token=token).json
    action = own["you"]["legal_actions"][0]
    live = api.post(f"{path}/actions", json=action, token=token).json
    assert live["version"] > view["version"]
    then = api.get(f"{path}?version={view['version']}", token=token).json
    assert then == view
    first = api.get(f"{path}?version=1", token=token).json
    assert (first["status"], first["you"]) == ("open", None)
    for version in ("0", "x", "-1", "1.5"):
        assert api.get(f"{path}?version={version}").json["code"] == "malformed-query"
    assert api.get(f"{path}?version=999").json["code"] == "version-unknown"


def test_a_spectator_sees_no_hand(api: Api) -> None:
    _player, token = api.new_player()
    path = f"/v1/games/{api.new_game(token)['id']}"
    seen = api.get(path).json
    assert seen["you"] is None
    assert api.get(f"{path}?as=spectator", token=token).json == seen
    assert api.get(f"{path}?as=dealer").json["code"] == "malformed-query"


def test_a_manual_start(api: Api) -> None:
    _player, token = api.new_player()
    _other, stranger = api.new_player()
    seats = [{"kind": "me"}, {"kind": "bot"}]
    view = api.new_game(token, players=2, seats=seats, start="manual")
    path = f"/v1/games/{view['id']}"
    assert view["status"] == "open"
    assert api.post(f"{path}/start", token=stranger).json["code"] == "not-creator"
    assert api.post(f"{path}/start", token=token).json["status"] == "in_progress"
    assert api.post(f"{path}/start", token=token).json["code"] == "already-started"


def test_abort_opens_the_seed_and_is_counted(api: Api) -> None:
    player, token = api.new_player()
    view = api.new_game(token, players=2, seats=OPEN)
    path = f"/v1/games/{view['id']}"
    assert view["fairness"]["seed"] is None
    aborted = api.post(f"{path}/abort", token=token).json
    assert (aborted["status"], len(aborted["fairness"]["seed"])) == ("aborted", 64)
    assert api.post(f"{path}/abort", token=token).json["code"] == "game-over"
    api.lobby_notices(view["id"])
    api.lobby_notices(view["id"])
    assert api.get(f"/v1/players/{player}").json["games"]["aborted"] == 1


def test_a_rematch_of_a_running_game_is_refused(api: Api) -> None:
    _player, token = api.new_player()
    view = api.new_game(token)
    answer = api.post(f"/v1/games/{view['id']}/rematch", token=token)
    assert (answer.status_code, answer.json["code"]) == (409, "game-not-finished")


def finished_game(api: Api, tokens: list[str], target: int = 1) -> str:
    """A game of these persons played out."""
    seats = [{"kind": "me"}, *({"kind": "open"} for _token in tokens[1:])]
    rules = {"target_score": target}
    view = api.new_game(tokens[0], players=len(tokens), seats=seats, rules=rules)
    path = f"/v1/games/{view['id']}"
    for token in tokens[1:]:
        view = api.post(f"{path}/seats", token=token).json
    while view["status"] == "in_progress":
        token = tokens[view["turn"]["seats"][0]]
        actions = api.get(path, token=token).json["you"]["legal_actions"]
        view = api.post(f"{path}/actions", json=actions[0], token=token).json
    return str(view["id"])


def test_a_rematch_seats_everybody_again(api: Api) -> None:
    tokens = [api.new_player()[1] for _seat in range(2)]
    game = finished_game(api, tokens)
    first = api.post(f"/v1/games/{game}/rematch", token=tokens[1])
    second = api.post(f"/v1/games/{game}/rematch", token=tokens[0])
    again = api.post(f"/v1/games/{game}/rematch", token=tokens[0])
    assert [first.status_code, second.status_code, again.status_code] == [201, 200, 200]
    assert first.json["id"] == second.json["id"] == again.json["id"]
    assert first.json["rematch_of"] == game
    assert first.json["id"][2] == game[2], "the successor is of the same shard"
    assert api.get(f"/v1/games/{game}").json["rematch"] == first.json["id"]
    _player, stranger = api.new_player()
    assert api.post(f"/v1/games/{game}/rematch", token=stranger).json["code"] == "not-seated"


def test_lists_show_public_games_to_all_and_others_to_their_own(api: Api) -> None:
    player, token = api.new_player()
    _other, stranger = api.new_player()
    hidden = api.new_game(token)["id"]
    public = api.new_game(token, players=2, seats=OPEN, visibility="public")["id"]
    api.lobby_notices(hidden, public)

    def listed(query: str, token: str | None = None) -> list[str]:
        answer = api.get(f"/v1/games?{query}", token=token)
        assert answer.status_code == 200, answer.json
        return [item["id"] for item in answer.json["items"]]

    assert listed("") == listed("", stranger) == [public]
    assert listed(f"player={player}", stranger) == [public]
    assert listed(f"player={player}", token) == [public, hidden]
    assert listed("player=me&status=in_progress", token) == [hidden]
    assert listed("status=open&players=2&has_open_seat=true") == [public]
    assert listed("has_open_seat=false") == []
    assert listed("players=3") == listed("clock=true") == []
    assert listed("clock=false") == [public]
    clock = {"turn_seconds": 30, "on_timeout": "bot_plays"}
    timed = api.new_game(token, players=2, seats=OPEN, visibility="public", clock=clock)["id"]
    api.lobby_notices(timed)
    assert listed("clock=true") == [timed]
    assert listed("clock=false") == [public]
    api.bots_play(hidden)
    api.lobby_notices(hidden)
    assert listed("needs_me=true", token) == [hidden]


def test_lists_are_pages_newest_first(api: Api) -> None:
    _player, token = api.new_player()
    made = [
        api.new_game(token, players=2, seats=OPEN, visibility="public")["id"] for _game in range(5)
    ]
    api.lobby_notices(*made)
    seen: list[str] = []
    cursor = ""
    while True:
        page = api.get(f"/v1/games?limit=2{cursor}").json
        assert len(page["items"]) <= 2
        seen += [item["id"] for item in page["items"]]
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"
    assert sorted(seen) == sorted(made)
    times = [api.get(f"/v1/games/{game}").json["created_at"] for game in seen]
    assert times == sorted(times, reverse=True)


UNREADABLE = (
    "limit=0 limit=101 limit=x status=lost players=5 cursor=nonsense! cursor=%00 "
    "has_open_seat=yes needs_me=1 clock=1 clock="
)


@pytest.mark.parametrize("query", UNREADABLE.split())
def test_queries_that_cannot_be_read(api: Api, query: str) -> None:
    assert api.get(f"/v1/games?{query}").json["code"] == "malformed-query"


def test_games_of_mine_need_a_token(api: Api) -> None:
    for query in ("needs_me=true", "player=me"):
        answer = api.get(f"/v1/games?{query}")
        assert (answer.status_code, answer.json["code"]) == (401, "token-missing")
