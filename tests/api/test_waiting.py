"""Answers that wait: until the game moves on, never for more than was asked."""

import time
from typing import Any

import pytest

from service.live.places import Places
from service.wiring import Services
from tests.api.conftest import Api, body_of, meanwhile

LONG = 20


def first_card(api: Api, token: str, game: str) -> Any:
    view = body_of(api.get(f"/v1/games/{game}", token=token))
    return view["you"]["legal_actions"][0]


def test_events_wait_for_the_next_version(api: Api, elsewhere: Api) -> None:
    _player, token = api.new_player()
    game = api.new_game(token, players=2, seats=[{"kind": "me"}, {"kind": "open"}])
    _other, sitter = api.new_player()
    path = f"/v1/games/{game['id']}"
    began = time.monotonic()
    with meanwhile(lambda: elsewhere.post(f"{path}/seats", token=sitter)):
        page = body_of(api.get(f"{path}/events?after={game['version']}&wait={LONG}", token=token))
    assert page["items"][0]["event"]["type"] == "seat_taken"
    assert time.monotonic() - began < LONG / 2


def test_events_that_are_there_already_do_not_wait(api: Api) -> None:
    _player, token = api.new_player()
    game = api.new_game(token)
    began = time.monotonic()
    page = body_of(api.get(f"/v1/games/{game['id']}/events?after=0&wait={LONG}"))
    assert [item["version"] for item in page["items"]] == [*range(1, page["version"] + 1)]
    assert time.monotonic() - began < LONG / 2


def test_events_that_do_not_come_are_an_empty_page(api: Api) -> None:
    _player, token = api.new_player()
    game = api.new_game(token, players=2, seats=[{"kind": "me"}, {"kind": "open"}])
    page = body_of(api.get(f"/v1/games/{game['id']}/events?after={game['version']}&wait=1"))
    assert page["items"] == []


def test_an_ended_game_keeps_nobody_waiting(api: Api) -> None:
    _player, token = api.new_player()
    game = api.new_game(token, players=2, seats=[{"kind": "me"}, {"kind": "open"}])
    ended = body_of(api.post(f"/v1/games/{game['id']}/abort", token=token))
    began = time.monotonic()
    api.get(f"/v1/games/{game['id']}/events?after={ended['version']}&wait={LONG}")
    assert time.monotonic() - began < LONG / 2


@pytest.mark.parametrize(
    "path", ["/v1/games/{game}/events?after={version}", "/v1/me/turns?after=0-0"]
)
def test_a_token_revoked_while_it_waits_is_told_nothing(
    api: Api, elsewhere: Api, path: str
) -> None:
    _player, token = api.new_player()
    game = api.new_game(token, players=2, seats=[{"kind": "me"}, {"kind": "open"}])
    asked = path.format(game=game["id"], version=game["version"])
    with meanwhile(lambda: revoke(elsewhere, token)):
        answer = api.get(f"{asked}&wait=2", token=token)
    assert body_of(answer, 401)["code"] == "token-invalid"


def test_an_action_whose_token_is_revoked_while_it_waits_is_told_no_more(
    api: Api, elsewhere: Api
) -> None:
    _player, token = api.new_player()
    game = api.new_game(token, players=2)
    api.bots_play(game["id"])
    action = first_card(api, token, game["id"])

    def revoke_and_play() -> None:
        revoke(elsewhere, token)
        elsewhere.bots_play(game["id"])

    path = f"/v1/games/{game['id']}/actions"
    with meanwhile(revoke_and_play):
        view = body_of(api.post(path, json=action, token=token, headers={"Prefer": f"wait={LONG}"}))
    assert not view["you"]["legal_actions"]


def revoke(api: Api, token: str) -> None:
    """End a player's only token."""
    [held] = body_of(api.get("/v1/tokens", token=token))["items"]
    assert api.delete(f"/v1/tokens/{held['id']}", token=token).status_code == 204


@pytest.mark.parametrize("wait", ["-1", "26", "x", ""])
def test_a_wait_that_is_none_is_refused(api: Api, wait: str) -> None:
    _player, token = api.new_player()
    game = api.new_game(token)
    answer = api.get(f"/v1/games/{game['id']}/events?wait={wait}")
    assert (answer.status_code, answer.json["code"]) == (400, "malformed-query")


def test_an_action_is_answered_when_it_is_the_players_turn_again(api: Api, elsewhere: Api) -> None:
    _player, token = api.new_player()
    game = api.new_game(token, players=2)
    api.bots_play(game["id"])
    action = first_card(api, token, game["id"])
    path = f"/v1/games/{game['id']}/actions"
    with meanwhile(lambda: elsewhere.bots_play(game["id"])):
        view = body_of(api.post(path, json=action, token=token, headers={"Prefer": f"wait={LONG}"}))
    assert view["you"]["legal_actions"]


def test_who_waits_too_often_is_refused_and_an_action_is_done(
    api: Api, app_services: Services
) -> None:
    _player, token = api.new_player()
    game = api.new_game(token, players=2)
    api.bots_play(game["id"])
    fill(app_services.wait_places)
    view = body_of(api.get(f"/v1/games/{game['id']}", token=token))
    refused = api.get(f"/v1/games/{game['id']}/events?after={view['version']}&wait=5", token=token)
    assert (refused.status_code, refused.json["code"]) == (429, "too-many-waiting")
    done = api.post(
        f"/v1/games/{game['id']}/actions",
        json=view["you"]["legal_actions"][0],
        token=token,
        headers={"Prefer": "wait=5"},
    )
    assert body_of(done)["version"] > view["version"]


def fill(places: Places) -> None:
    """Take every place of a process."""
    for _ in range(places.total):
        places.take(None)
