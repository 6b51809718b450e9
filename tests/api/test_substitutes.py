"""Substitutes: a seat in which a bot acts for a person is opened, and somebody else sits down."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from events.vocabulary import Cause, GameId, Seat
from service.api.app import create_app
from service.game.commands import TakeOver
from service.game.position import Position
from service.wiring import Services, services
from tests.api.conftest import Api, body_of

LATE = {"turn_seconds": 5, "on_timeout": "bot_takes_over"}


class Table:
    """A public game of two persons and a clock: the host and who is on turn first, if another."""

    def __init__(self, api: Api, parts: Services, **body: Any) -> None:
        self._api, self._parts = api, parts
        self.players = [api.new_player()[1] for _seat in range(3)]
        self.host = self.players[0]
        wishes = [{"kind": "me"}, {"kind": "open"}, {"kind": "open"}]
        view = api.new_game(
            self.host, players=3, seats=wishes, clock=LATE, visibility="public", **body
        )
        self.id, self.path = GameId(view["id"]), f"/v1/games/{view['id']}"
        for seat in (1, 2):
            body_of(self.sit(self.players[seat], seat))
        while self.on_turn == 0:  # the host stays
            body = body_of(api.get(self.path, token=self.host))["you"]["legal_actions"][0]
            body_of(api.post(f"{self.path}/actions", json=body, token=self.host))

    @property
    def on_turn(self) -> int:
        return int(self.view()["turn"]["seats"][0])

    def view(self, token: str | None = None) -> dict[str, Any]:
        return body_of(self._api.get(self.path, token=token))

    def sit(self, token: str, seat: int) -> Any:
        return self._api.post(f"{self.path}/seats/{seat}", token=token)

    def open(self, seat: int, token: str | None = None) -> Any:
        return self._api.delete(f"{self.path}/seats/{seat}", token=token or self.host)

    def run_out(self) -> int:
        """The time of the person on turn is over: the seat, in which a bot acts now."""
        seat = self.on_turn
        done = self._parts.table.act(self.id, TakeOver(Seat(seat)), cause=Cause.TIMEOUT)
        assert isinstance(done, Position)
        return seat


@pytest.fixture
def table(api: Api, app_services: Services) -> Table:
    return Table(api, app_services)


def code(answer: Any) -> str | None:
    return answer.json.get("code")  # type: ignore[no-any-return]  # Flask's answer


def test_a_seat_whose_time_was_over_is_opened_and_taken_by_another(api: Api, table: Table) -> None:
    seat = table.run_out()
    assert (table.view()["seats"][seat]["acting_bot"], table.view()["seats"][seat]["left"]) == (
        True,
        False,
    )
    hand = table.view(table.players[seat])["you"]
    opened = body_of(table.open(seat))
    assert (opened["seats"][seat]["kind"], opened["seats"][seat]["player"]) == ("open", None)
    assert opened["seats"][seat]["acting_bot"]
    assert table.view(table.players[seat])["you"] is None
    player, new = api.new_player("New")
    sat = body_of(table.sit(new, seat))
    assert sat["seats"][seat]["player"]["id"] == player
    assert not sat["seats"][seat]["acting_bot"]
    assert sat["you"]["legal_actions"]
    assert hand is None or hand["hand"] == sat["you"]["hand"]
    action = sat["you"]["legal_actions"][0]
    done = api.post(f"{table.path}/actions", json=action, token=new)
    assert body_of(done)["version"] > sat["version"]
    assert code(api.post(f"{table.path}/actions", json=action, token=table.players[seat])) == (
        "not-seated"
    )


def test_who_came_back_in_time_keeps_the_seat(table: Table) -> None:
    seat = table.run_out()
    body_of(table.sit(table.players[seat], seat))
    refused = table.open(seat)
    assert (refused.status_code, code(refused)) == (409, "already-started")
    assert table.view(table.players[seat])["you"]["seat"] == seat


def test_until_a_substitute_sits_the_player_may_return(table: Table) -> None:
    seat = table.run_out()
    body_of(table.open(seat))
    assert body_of(table.sit(table.players[seat], seat))["you"]["seat"] == seat


def test_opening_twice_changes_nothing(table: Table) -> None:
    seat = table.run_out()
    version = body_of(table.open(seat))["version"]
    assert body_of(table.open(seat))["version"] == version


def test_only_the_creator_opens_a_seat(api: Api, table: Table) -> None:
    seat = table.run_out()
    other, (_player, stranger) = table.players[3 - seat], api.new_player()
    for token in (other, stranger):
        refused = table.open(seat, token)
        assert (refused.status_code, code(refused)) == (403, "not-seated")
    assert table.open(3 - seat).status_code == 409


def test_nobody_who_has_held_another_seat_is_a_substitute(table: Table) -> None:
    first = table.run_out()
    other = 3 - first
    body_of(table.open(first))
    body_of(table.open(other, table.players[other]))
    body_of(table.open(other))
    assert code(table.sit(table.players[first], other)) == "held-another-seat"
    assert code(table.sit(table.players[other], first)) == "held-another-seat"
    assert code(table.sit(table.host, first)) == "already-seated"


def test_an_engine_is_no_substitute_where_they_are_kept_out(
    api: Api, app_services: Services
) -> None:
    table = Table(api, app_services, allow_bots=False)
    seat = table.run_out()
    body_of(table.open(seat))
    _engine, engine = api.new_player(bot=True)
    assert code(table.sit(engine, seat)) == "bots-not-allowed"
    assert body_of(table.sit(api.new_player()[1], seat))["you"]["seat"] == seat


def test_an_opened_seat_is_listed_and_its_taking_told(api: Api, table: Table) -> None:
    seat, query = table.run_out(), "/v1/games?status=in_progress&has_open_seat=true&clock=true"
    body_of(table.open(seat))
    api.lobby_notices(table.id)
    (item,) = body_of(api.get(query))["items"]
    assert (item["id"], item["open_seats"]) == (table.id, 1)
    _player, new = api.new_player()
    body_of(table.sit(new, seat))
    api.inbox_notices()
    (turn,) = body_of(api.get("/v1/me/turns", token=new))["items"]
    assert (turn["game"], turn["seat"]) == (table.id, seat)
    assert turn["deadline"] == turn["view"]["turn"]["deadline"] is not None
    api.lobby_notices(table.id)
    assert body_of(api.get(query))["items"] == []


def test_of_many_substitutes_at_once_one_sits(
    api: Api, app_services: Services, table: Table
) -> None:
    seat = table.run_out()
    body_of(table.open(seat))
    tokens = [table.players[seat], *(api.new_player()[1] for _guest in range(15))]
    apps = [create_app(services(app_services.settings)) for _process in range(4)]

    def sit(guest: int) -> tuple[int, str | None]:
        headers = {"Authorization": f"Bearer {tokens[guest]}"}
        answer = apps[guest % 4].test_client().post(f"{table.path}/seats/{seat}", headers=headers)
        return answer.status_code, code(answer)

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(sit, range(16)))
    assert sorted(answers, key=str) == [(200, None), *[(409, "seat-taken")] * 15]
    winner = tokens[answers.index((200, None))]
    assert table.view(winner)["you"]["seat"] == seat
