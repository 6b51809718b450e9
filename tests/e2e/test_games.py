"""Whole games against the real processes, over HTTP."""

import random

import pytest

from tests.e2e.running import Json, Running, eventually


def play_to_the_end(running: Running, view: Json, token: str) -> Json:
    """A person who plays random legal actions until the game is over."""
    chance = random.Random(view["id"])
    path = f"/v1/games/{view['id']}"

    def is_ours_or_over() -> bool:
        nonlocal view
        _status, view = running.ask("GET", path, token=token)
        return view["status"] == "finished" or bool(view["you"]["legal_actions"])

    while True:
        eventually(is_ours_or_over, "a bot's move")
        if view["status"] == "finished":
            return view
        action = chance.choice(view["you"]["legal_actions"])
        status, view = running.ask(
            "POST", f"{path}/actions", action, token, **{"If-Match": f'"{view["version"]}"'}
        )
        assert status == 200, view


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_person_and_bots_play_to_the_end_and_it_replays(running: Running, players: int) -> None:
    token = running.join("Ana")
    body = {"players": players, "rules": {"target_score": 10}}
    status, view = running.ask("POST", "/v1/games", body, token)
    assert status == 201
    final = play_to_the_end(running, view, token)
    _status, replay = running.ask("GET", f"/v1/games/{view['id']}/replay")
    assert replay["scores"] == final["scores"]
    assert [event["version"] for event in replay["events"]] == list(range(1, final["version"] + 1))
    assert all(hand for played in replay["rounds"] for hand in played["hands"])


@pytest.mark.parametrize("players", [2, 3, 4])
def test_bots_alone_play_to_the_end(running: Running, players: int) -> None:
    token = running.join("Host")
    body = {"players": players, "seats": [{"kind": "bot", "level": "club"}] * players}
    _status, view = running.ask("POST", "/v1/games", body, token)
    path = f"/v1/games/{view['id']}"
    eventually(
        lambda: running.ask("GET", path)[1]["status"] == "finished", "the end of a bots' game"
    )


def test_two_persons_and_two_bots_and_a_rematch(running: Running) -> None:
    ana, ben = running.join("Ana"), running.join("Ben")
    seats = [{"kind": "me"}, {"kind": "bot"}, {"kind": "open"}, {"kind": "bot"}]
    body = {"players": 4, "seats": seats, "rules": {"target_score": 3}}
    _status, view = running.ask("POST", "/v1/games", body, ana)
    path = f"/v1/games/{view['id']}"
    status, view = running.ask("POST", f"{path}/seats", {"entropy": "ben's dice"}, ben)
    assert (status, view["status"]) == (200, "in_progress")
    while view["status"] == "in_progress":
        for token in (ana, ben):
            _status, view = running.ask("GET", path, token=token)
            if view["you"]["legal_actions"]:
                running.ask("POST", f"{path}/actions", view["you"]["legal_actions"][0], token)
    status, first = running.ask("POST", f"{path}/rematch", token=ben)
    assert status == 201
    status, second = running.ask("POST", f"{path}/rematch", token=ana)
    assert (status, second["id"]) == (200, first["id"])
    assert second["status"] == "in_progress"


def test_lists_catch_up(running: Running) -> None:
    token = running.join("Host")
    body = {"players": 2, "seats": [{"kind": "me"}, {"kind": "open"}], "visibility": "public"}
    _status, view = running.ask("POST", "/v1/games", body, token)

    def is_listed() -> bool:
        _status, page = running.ask("GET", "/v1/games?status=open&has_open_seat=true")
        return view["id"] in [item["id"] for item in page["items"]]

    eventually(is_listed, "the new game in the list")
