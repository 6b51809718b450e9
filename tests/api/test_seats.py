"""Seats over HTTP; what the decider says of them is in tests/game/test_seats.py."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from service.api.app import create_app
from service.wiring import Services, services
from tests.api.conftest import Api
from tests.api.test_games import finished_game

THREE_OPEN = [{"kind": "me"}, {"kind": "open"}, {"kind": "open"}, {"kind": "open"}]


def table(api: Api) -> tuple[str, str]:
    """A game with three open seats: the creator's token and the path."""
    _player, token = api.new_player("Host")
    return token, f"/v1/games/{api.new_game(token, seats=THREE_OPEN)['id']}"


def test_sit_move_and_leave(api: Api) -> None:
    host, path = table(api)
    player, token = api.new_player("Guest")
    assert api.post(f"{path}/seats", token=token).json["you"]["seat"] == 1
    version = api.post(f"{path}/seats", token=token).json["version"]
    assert api.post(f"{path}/seats/1", token=token).json["version"] == version
    moved = api.post(f"{path}/seats", json={"seat": 3}, token=token).json
    assert [seat["player"] and seat["player"]["id"] for seat in moved["seats"]][1:] == [
        None,
        None,
        player,
    ]
    assert api.post(f"{path}/seats/3", token=host).json["code"] == "seat-taken"
    left = api.delete(f"{path}/seats/3", token=token).json
    assert (left["seats"][3]["kind"], left["you"]) == ("open", None)


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("seats", {"seat": 4}, "invalid-body"),
        ("seats", {"seat": "1"}, "invalid-body"),
        ("seats", {"entropy": ""}, "invalid-body"),
        ("seats", {"entropy": "x" * 65}, "invalid-body"),
        ("seats", {"entropy": "é"}, "invalid-body"),
        ("seats", {"entropy": "a\n"}, "invalid-body"),
        ("seats/9", {}, "seat-unknown"),
        ("seats/1", {"seat": 1}, "invalid-body"),
    ],
)
def test_seats_that_cannot_be_taken(api: Api, path: str, body: dict[str, Any], code: str) -> None:
    _host, game = table(api)
    _player, token = api.new_player()
    assert api.post(f"{game}/{path}", json=body, token=token).json["code"] == code
    assert api.get(game).json["version"] == 2


def test_entropy_is_public_and_frozen_at_the_start(api: Api) -> None:
    host, path = table(api)
    given = api.put(f"{path}/seats/0/entropy", json={"entropy": "mine"}, token=host).json
    assert given["fairness"]["entropy"] == ["mine", None, None, None]
    other = api.put(f"{path}/seats/1/entropy", json={"entropy": "x"}, token=host)
    assert (other.status_code, other.json["code"]) == (403, "not-seated")
    for seat in (1, 2, 3):
        api.put(f"{path}/seats/{seat}/bot", json={"level": "novice"}, token=host)
    late = api.put(f"{path}/seats/0/entropy", json={"entropy": "late"}, token=host)
    assert (late.status_code, late.json["code"]) == (409, "already-started")


def test_bots_and_invitations_are_the_creators(api: Api) -> None:
    host, path = table(api)
    guest, token = api.new_player("Guest")
    _other, stranger = api.new_player()
    bot = {"level": "club"}
    assert api.put(f"{path}/seats/1/bot", json=bot, token=token).json["code"] == "not-creator"
    assert api.put(f"{path}/seats/1/bot", json=bot, token=host).json["seats"][1]["kind"] == "bot"
    invite = {"player": guest}
    assert api.put(f"{path}/seats/2/invite", json=invite, token=token).json["code"] == "not-creator"
    kept = api.put(f"{path}/seats/2/invite", json=invite, token=host).json
    assert kept["seats"][2]["reserved_for"] == guest
    nobody = {"player": "p_nobody"}
    answer = api.put(f"{path}/seats/2/invite", json=nobody, token=host)
    assert answer.json["code"] == "player-unknown"
    assert api.post(f"{path}/seats/2", token=stranger).json["code"] == "seat-reserved"
    assert api.post(f"{path}/seats", token=token).json["you"]["seat"] == 2


def test_who_leaves_a_running_game_sees_what_a_spectator_sees(api: Api) -> None:
    _player, token = api.new_player()
    view = api.new_game(token)
    path = f"/v1/games/{view['id']}"
    left = api.delete(f"{path}/seats/0", token=token).json
    assert (left["you"], left["seats"][0]["acting_bot"], left["seats"][0]["left"]) == (
        None,
        True,
        True,
    )
    assert left["seats"][0]["kind"] == "human"
    refused = api.post(f"{path}/actions", json={"type": "pass"}, token=token)
    assert (refused.status_code, refused.json["code"]) == (409, "bot-is-acting")
    assert refused.json["take_back"] == f"{path}/seats/0"
    assert api.post(f"{path}/seats/1", token=token).json["code"] == "already-seated"
    back = api.post(f"{path}/seats/0", token=token).json
    assert back["you"]["seat"] == 0


def test_a_substitute_sees_only_from_now_on_and_who_left_may_not_return(api: Api) -> None:
    _host, host = api.new_player("Host")
    _gone, gone = api.new_player("Gone")
    _new, new = api.new_player("New")
    seats = [{"kind": "me"}, {"kind": "open"}]
    path = f"/v1/games/{api.new_game(host, players=2, seats=seats)['id']}"
    held = api.post(f"{path}/seats", token=gone).json
    api.delete(f"{path}/seats/1", token=gone)
    api.delete(f"{path}/seats/1", token=host)
    sat = api.post(f"{path}/seats", token=new).json
    assert sat["you"]["hand"] == held["you"]["hand"]
    assert api.get(f"{path}?version={held['version']}", token=new).json["you"] is None
    own = api.get(f"{path}?version={held['version']}", token=gone).json
    assert own["you"]["hand"] == held["you"]["hand"]
    assert api.get(f"{path}?version={sat['version']}", token=gone).json["you"] is None
    for who, version, status in (
        (gone, held["version"], 200),
        (new, held["version"], 403),
        (new, sat["version"], 200),
        (gone, sat["version"], 403),
    ):
        answer = api.get(f"{path}/replay/{version}?seat=1", token=who)
        assert answer.status_code == status
    assert api.post(f"{path}/seats/1", token=gone).json["code"] == "seat-taken"
    api.delete(f"{path}/seats/0", token=host)
    api.delete(f"{path}/seats/0", token=host)


def test_twenty_players_race_for_the_last_seat(app_services: Services, api: Api) -> None:
    _host, host = api.new_player()
    seats = [{"kind": "me"}, {"kind": "open"}]
    game = api.new_game(host, players=2, seats=seats)["id"]
    tokens = [api.new_player()[1] for _guest in range(20)]

    apps = [create_app(services(app_services.settings)) for _process in range(5)]

    def sit(guest: int) -> int:
        headers = {"Authorization": f"Bearer {tokens[guest]}"}
        client = apps[guest % 5].test_client()
        return client.post(f"/v1/games/{game}/seats", headers=headers).status_code

    with ThreadPoolExecutor(20) as pool:
        answers = sorted(pool.map(sit, range(20)))
    assert answers == [200] + [409] * 19
    assert api.get(f"/v1/games/{game}").json["status"] == "in_progress"


def test_all_seats_press_rematch_at_once(app_services: Services, api: Api) -> None:
    tokens = [api.new_player()[1] for _seat in range(4)]
    game = finished_game(api, tokens)

    apps = [create_app(services(app_services.settings)) for _process in range(4)]

    def press(seat: int) -> tuple[int, str]:
        headers = {"Authorization": f"Bearer {tokens[seat]}"}
        answer = apps[seat].test_client().post(f"/v1/games/{game}/rematch", headers=headers)
        assert answer.json is not None
        return answer.status_code, answer.json["id"]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(press, [0, 1, 2, 3] * 2))
    assert sorted(status for status, _game in answers) == [200] * 7 + [201]
    assert len({successor for _status, successor in answers}) == 1
    successor = api.get(f"/v1/games/{answers[0][1]}").json
    assert successor["status"] == "in_progress"
    assert len({seat["player"]["id"] for seat in successor["seats"]}) == 4
