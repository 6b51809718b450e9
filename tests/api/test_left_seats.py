"""Who leaves a seat: no way into another hand, and none back to what others then saw."""

from typing import Any

import pytest

from tests.api.conftest import Api

Table = tuple[str, list[str]]


@pytest.fixture
def table(api: Api) -> Table:
    """A game of three persons: its path and the tokens by seat."""
    tokens = [api.new_player()[1] for _seat in range(3)]
    seats = [{"kind": "me"}, {"kind": "open"}, {"kind": "open"}]
    path = f"/v1/games/{api.new_game(tokens[0], players=3, seats=seats)['id']}"
    for seat, token in enumerate(tokens[1:], 1):
        assert api.post(f"{path}/seats/{seat}", token=token).status_code == 200
    return path, tokens


def leave(api: Api, path: str, seat: int, token: str, host: str) -> int:
    """A seat left by its player and opened by the host: the version after that."""
    assert api.delete(f"{path}/seats/{seat}", token=token).status_code == 200
    opened = api.delete(f"{path}/seats/{seat}", token=host)
    assert opened.json["seats"][seat]["kind"] == "open"
    return int(opened.json["version"])


def code(answer: Any) -> tuple[int, str | None]:
    return answer.status_code, answer.json.get("code")


def test_who_left_may_not_sit_elsewhere(api: Api, table: Table) -> None:
    path, (host, one, two) = table
    leave(api, path, 1, one, host)
    leave(api, path, 2, two, host)
    refused = (403, "held-another-seat")
    for body in ({"seat": 2}, {"seat": 0}):
        assert code(api.post(f"{path}/seats", json=body, token=one)) == refused
    assert code(api.post(f"{path}/seats/1", token=two)) == refused
    assert api.get(path, token=one).json["you"] is None


def test_who_left_may_sit_in_their_own_seat_again_without_naming_it(api: Api, table: Table) -> None:
    path, (host, one, two) = table
    leave(api, path, 1, one, host)
    leave(api, path, 2, two, host)
    assert api.post(f"{path}/seats", token=two).json["you"]["seat"] == 2
    assert api.post(f"{path}/seats/1", token=one).json["you"]["seat"] == 1


def test_who_left_looks_back_to_that_moment_and_no_further(api: Api, table: Table) -> None:
    path, (host, one, _two) = table
    held = api.get(path, token=one).json
    opened = leave(api, path, 1, one, host)
    new = api.new_player()[1]
    sat = api.post(f"{path}/seats", token=new).json
    assert sat["you"]["hand"] == held["you"]["hand"]
    for version in range(1, sat["version"] + 1):
        mine = api.get(f"{path}?version={version}", token=one).json["you"]
        theirs = api.get(f"{path}?version={version}", token=new).json["you"]
        assert (mine is None) or version <= held["version"]
        assert (theirs is None) == (version < sat["version"])
        for token, may in ((one, mine), (new, theirs), (host, None)):
            answer = api.get(f"{path}/replay/{version}?seat=1", token=token)
            assert answer.status_code == (200 if may else 403)
    frames = api.get(f"{path}/events?after={opened - 2}", token=one).json["items"]
    assert [frame["you"] for frame in frames] == [None] * len(frames)


def test_a_substitute_is_shown_no_deal_that_they_did_not_get(api: Api, table: Table) -> None:
    path, (host, one, _two) = table
    leave(api, path, 1, one, host)
    new = api.new_player()[1]
    api.post(f"{path}/seats", token=new)
    for address in (f"{path}/rounds", f"{path}/replay", f"{path}/replay?seat=1"):
        answer = api.get(address, token=new).json
        hands = answer["items" if "rounds" not in answer else "rounds"][0]["hands"]
        assert hands == [None, None, None]
    for address in (f"{path}/replay?seat=1", f"{path}/replay?seat=0"):
        assert code(api.get(address, token=one)) == (403, "hidden-until-finished")
        assert code(api.get(address)) == (403, "hidden-until-finished")


def test_a_seated_player_cannot_change_seats_or_free_others(api: Api, table: Table) -> None:
    path, (host, one, _two) = table
    assert code(api.post(f"{path}/seats/2", token=one)) == (409, "already-seated")
    assert code(api.delete(f"{path}/seats/2", token=one)) == (403, "not-seated")
    assert code(api.delete(f"{path}/seats/1", token=host)) == (409, "already-started")
    bot = api.put(f"{path}/seats/1/bot", json={"level": "club"}, token=host)
    assert code(bot) == (409, "already-started")
    assert code(api.post(f"{path}/seats", token=api.new_player()[1])) == (409, "no-open-seat")


def test_a_tap_from_before_leaving_takes_no_seat_back(api: Api, table: Table) -> None:
    path, tokens = table
    seat = api.get(path).json["turn"]["seats"][0]
    other = tokens[(seat + 1) % 3]
    assert api.delete(f"{path}/seats/{seat}", token=tokens[seat]).json["you"] is None
    before = api.get(path).json["version"]
    answer = api.post(f"{path}/actions", json={"type": "pass"}, token=tokens[seat])
    assert code(answer) == (409, "bot-is-acting")
    assert answer.json["take_back"] == f"{path}/seats/{seat}"
    assert "legal_actions" not in answer.json
    assert api.get(path).json["version"] == before
    assert api.post(f"{path}/seats", token=other).json["version"] == before
    assert api.post(answer.json["take_back"], token=tokens[seat]).json["you"]["legal_actions"]
