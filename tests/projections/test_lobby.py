"""Lists of games: page by page, filtered, and unlisted ones shown to nobody else."""

import base64
from random import Random
from typing import Any

import pytest

from events.catalogue import Clock
from events.vocabulary import GameId, OnTimeout, Seat
from service.game.commands import AbortGame, LeaveSeat
from service.game.position import Position
from service.game.state import seat_to_act
from service.projections.cursors import CursorMalformed
from service.projections.lobby import Lobby, Wanted
from service.wiring import Services
from tests.projections.listing import ANY, create, finish, ids, listed, position_of, sit
from tests.scenario import ALICE, BOB, CAROL, random_game


def all_pages(lobby: Lobby, limit: int, wanted: Wanted = ANY) -> list[list[GameId]]:
    pages, cursor = [], None
    while True:
        page = lobby.page(wanted, None, limit, cursor)
        pages.append(ids(page))
        cursor = page.next
        if cursor is None:
            return pages


def newest_first(positions: list[Position]) -> list[GameId]:
    return [p.id for p in sorted(positions, key=lambda p: (p.created_at, p.id), reverse=True)]


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
def test_pages_hold_every_game_once_newest_first(parts: Services, limit: int) -> None:
    made = [create(parts) for _ in range(7)]
    pages = all_pages(parts.lobby, limit)
    assert [game for page in pages for game in page] == newest_first(made)
    assert all(len(page) <= limit for page in pages)
    assert pages[-1]


def test_games_of_one_moment_are_all_reached(lobby: Lobby) -> None:
    moment = random_game(Random(1), 2, {}, stop_after=3).final
    moment = moment._replace(game=public(moment))
    made = [moment._replace(id=GameId(f"g_{number % 16:x}{number:04}")) for number in range(250)]
    for position in made:
        lobby.record(position)
    pages = all_pages(lobby, 40)
    assert [game for page in pages for game in page] == newest_first(made)


def public(position: Position) -> Any:
    game = position.game
    return game._replace(setup=game.setup._replace(visibility="public"))


def test_a_cursor_holds_while_games_are_added(parts: Services) -> None:
    old = [create(parts) for _ in range(4)]
    first = parts.lobby.page(ANY, None, 2)
    create(parts)
    second = parts.lobby.page(ANY, None, 2, first.next)
    assert ids(first) + ids(second) == newest_first(old)


@pytest.mark.parametrize(
    "cursor",
    ["", "x", "é", "!!!!", "AAAA", base64.urlsafe_b64encode(b"soon:g_0").decode(), "%00"],
)
def test_a_malformed_cursor_is_told(lobby: Lobby, cursor: str) -> None:
    with pytest.raises(CursorMalformed):
        lobby.page(ANY, None, 10, cursor)


@pytest.mark.parametrize(
    "place", [b"-1:g_0", b"99999999999999999999999:g_0", b"1:", b"1", b"1_0:g_0", b"1:g_\0"]
)
def test_a_made_up_place_is_told_or_gives_a_page(parts: Services, place: bytes) -> None:
    create(parts)
    cursor = base64.urlsafe_b64encode(place).decode()
    try:
        page = parts.lobby.page(ANY, None, 10, cursor)
    except CursorMalformed:
        return
    assert len(page.items) <= 1


def test_filters_by_status(parts: Services) -> None:
    open_one = create(parts)
    running = sit(parts, create(parts), BOB)
    aborted = create(parts)
    parts.lobby.record(position_of(parts.table.act(aborted.id, AbortGame(ALICE))))
    finished = finish(parts, create(parts, "bot", "bot"))
    assert listed(parts.lobby) == {open_one.id, running.id, aborted.id, finished.id}
    assert listed(parts.lobby, Wanted(status="open")) == {open_one.id}
    assert listed(parts.lobby, Wanted(status="in_progress")) == {running.id}
    assert listed(parts.lobby, Wanted(status="aborted")) == {aborted.id}
    assert listed(parts.lobby, Wanted(status="finished")) == {finished.id}


def test_filters_by_players_open_seats_and_clock(parts: Services) -> None:
    two, three = create(parts, "me", "open"), create(parts, "me", "bot", "bot")
    assert listed(parts.lobby, Wanted(players=2)) == {two.id}
    assert listed(parts.lobby, Wanted(players=3)) == {three.id}
    assert listed(parts.lobby, Wanted(players=4)) == set()
    assert listed(parts.lobby, Wanted(has_open_seat=True)) == {two.id}
    assert listed(parts.lobby, Wanted(has_open_seat=False)) == {three.id}
    timed = create(parts, clock=Clock(10, OnTimeout.BOT_PLAYS))
    assert listed(parts.lobby, Wanted(clock=True)) == {timed.id}
    assert listed(parts.lobby, Wanted(clock=False)) == {two.id, three.id}


def test_an_aborted_game_has_no_seat_to_take(parts: Services) -> None:
    game = create(parts)
    parts.lobby.record(position_of(parts.table.act(game.id, AbortGame(ALICE))))
    assert listed(parts.lobby, Wanted(has_open_seat=True)) == set()


def test_filters_by_who_is_seated_now(parts: Services) -> None:
    alices = create(parts, "me", "open", "open")
    both = sit(parts, create(parts, "me", "open", "open"), BOB)
    assert listed(parts.lobby, Wanted(player=ALICE)) == {alices.id, both.id}
    assert listed(parts.lobby, Wanted(player=BOB)) == {both.id}
    parts.lobby.record(position_of(parts.table.act(both.id, LeaveSeat(BOB, Seat(1)))))
    assert listed(parts.lobby, Wanted(player=BOB)) == set()


def test_filters_by_whose_turn_it_is(parts: Services) -> None:
    create(parts)
    running = sit(parts, create(parts), BOB)
    seat = seat_to_act(running.game)
    on_turn, other = (ALICE, BOB) if seat == 0 else (BOB, ALICE)
    needs_me = Wanted(needs_me=True)
    assert listed(parts.lobby, needs_me, on_turn) == {running.id}
    assert listed(parts.lobby, needs_me, other) == set()
    assert listed(parts.lobby, needs_me, CAROL) == set()


def test_a_seat_that_a_bot_plays_needs_nobody(parts: Services) -> None:
    running = sit(parts, create(parts), BOB)
    seat = seat_to_act(running.game)
    assert seat is not None
    on_turn = (ALICE, BOB)[seat]
    parts.lobby.record(position_of(parts.table.act(running.id, LeaveSeat(on_turn, seat))))
    assert listed(parts.lobby, Wanted(needs_me=True), on_turn) == set()


def test_filters_add_up(parts: Services) -> None:
    create(parts, "me", "bot")
    wanted = create(parts, "me", "open", "open")
    both = Wanted(status="open", players=3, has_open_seat=True, player=ALICE)
    assert listed(parts.lobby, both) == {wanted.id}
    assert listed(parts.lobby, Wanted(status="in_progress", players=3)) == set()


@pytest.mark.parametrize("wanted", [ANY, Wanted(player=ALICE), Wanted(status="open")])
def test_an_unlisted_game_is_its_own_players_alone(parts: Services, wanted: Wanted) -> None:
    game = sit(parts, create(parts, "me", "open", "open", visibility="unlisted"), BOB)
    assert listed(parts.lobby, wanted, None) == set()
    assert listed(parts.lobby, wanted, CAROL) == set()
    seen = set() if wanted.player is None else {game.id}
    assert listed(parts.lobby, wanted, ALICE) == listed(parts.lobby, wanted, BOB) == seen


def test_an_older_position_changes_nothing(parts: Services) -> None:
    before = create(parts)
    after = sit(parts, before, BOB)
    known = parts.lobby.page(ANY, None, 10)
    parts.lobby.record(before)
    assert parts.lobby.page(ANY, None, 10) == known
    assert known.items[0]["version"] == after.version
    assert listed(parts.lobby, Wanted(status="open")) == set()


def test_the_last_page_has_no_next_even_when_it_is_full(parts: Services) -> None:
    made = {create(parts).id for _game in range(4)}
    first = parts.lobby.page(ANY, None, 2)
    second = parts.lobby.page(ANY, None, 2, first.next)
    assert second.next is None
    assert {*ids(first), *ids(second)} == made


def test_a_cursor_holds_when_its_game_leaves_the_list(parts: Services) -> None:
    games = {create(parts).id for _game in range(3)}
    wanted = Wanted(status="open")
    first = parts.lobby.page(wanted, None, 1)
    (left,) = ids(first)
    parts.lobby.record(position_of(parts.table.act(left, AbortGame(ALICE))))
    assert set(ids(parts.lobby.page(wanted, None, 100, first.next))) == games - {left}
