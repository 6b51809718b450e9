"""Clocks: when a turn ends, what happens then, and what leaves the clock alone."""

import pytest

from events.catalogue import Clock, ClockExtended, Event, GameAborted, Passed, SeatHandedOver
from events.store import Due, Entry
from events.vocabulary import BotLevel, Cause, OnTimeout, Seat
from service.game.clocks import deadline, due_after, expires_at
from service.game.commands import (
    CreateGame,
    Expire,
    ExtendClock,
    Pass,
    SeatWish,
    TakeOver,
    TakeSeat,
)
from service.game.evolve import CorruptLog, evolve, evolve_all
from service.game.founding import found, rematch_command
from service.game.position import Position, fold
from service.game.refusals import Reason
from service.game.state import Bidding, Finished, seat_to_act
from tests.scenario import ALICE, BOB, CHANCE, GAME, given, record

PLAYS = Clock(10, OnTimeout.BOT_PLAYS)
TAKES_OVER = Clock(10, OnTimeout.BOT_TAKES_OVER)


def game(clock: Clock | None, *kinds: str, expires_in: int = 60) -> tuple[Event, ...]:
    """A game of two: Alice and Bob, or as said."""
    wishes = tuple(SeatWish(kind) for kind in kinds or ("me", "open"))
    command = CreateGame(ALICE, 2, wishes, clock=clock, expires_in=expires_in)
    events = found(command, CHANCE)
    assert isinstance(events, tuple)
    return events


def two(clock: Clock | None) -> tuple[Event, ...]:
    """A game that Bob has joined, dealt."""
    founded = game(clock)
    decision = given(*founded).when(TakeSeat(BOB, None, is_bot=False, now=0)).decision
    assert isinstance(decision, tuple)
    return (*founded, *decision)


def on_turn(events: tuple[Event, ...]) -> Seat:
    seat = seat_to_act(evolve_all(None, *events))
    assert seat is not None
    return seat


def positioned(*events: Event) -> Position:
    position = fold(GAME, record([Entry(Cause.PLAYER, event) for event in events]))
    assert position is not None
    return position


def handed_over(seat: Seat) -> SeatHandedOver:
    return SeatHandedOver(seat, BotLevel.CLUB, "1", left=False)


def test_a_turn_ends_after_its_seconds() -> None:
    position = positioned(*two(PLAYS))
    assert deadline(position) == position.updated_at + 10_000
    assert expires_at(position) is None


def test_what_others_do_with_their_seats_does_not_move_the_deadline() -> None:
    events = two(PLAYS)
    before = positioned(*events)
    other = Seat(1 - on_turn(events))
    assert deadline(positioned(*events, handed_over(other))) == deadline(before)


def test_time_given_back_moves_the_deadline_of_this_turn_alone() -> None:
    events = two(PLAYS)
    seat, before = on_turn(events), positioned(*events)
    extended = positioned(*events, ClockExtended(seat, 700), ClockExtended(seat, 50))
    assert deadline(extended) == before.updated_at + 10_750
    after = positioned(*events, ClockExtended(seat, 700), Passed(seat))
    assert deadline(after) == after.updated_at + 10_000


def test_without_a_clock_a_game_expires_after_its_last_event() -> None:
    position = positioned(*two(None))
    assert deadline(position) is None
    assert expires_at(position) == position.updated_at + 60_000


def test_a_table_with_a_clock_expires_until_it_has_started() -> None:
    position = positioned(*game(PLAYS))
    assert (deadline(position), expires_at(position)) == (None, position.updated_at + 60_000)


def test_a_game_that_is_over_does_not_expire() -> None:
    position = positioned(*game(None), GameAborted())
    assert (deadline(position), expires_at(position)) == (None, None)


@pytest.mark.parametrize(
    ("events", "due"),
    [
        (game(None), Due(60_000)),
        (game(None, "bot", "bot"), Due(3000)),
        (game(PLAYS, "bot", "bot"), Due(3000)),
        (two(PLAYS), Due(10_000)),
        ((*game(None), GameAborted()), None),
    ],
)
def test_when_a_game_is_looked_at_again(events: tuple[Event, ...], due: Due | None) -> None:
    assert due_after(None, events, evolve_all(None, *events)) == due


def test_an_append_inside_a_turn_keeps_when_it_is_looked_at() -> None:
    events = two(PLAYS)
    before, seat = positioned(*events), on_turn(events)
    given_back = ClockExtended(seat, 700)
    due = due_after(before, (given_back,), evolve(before.game, given_back))
    assert due == Due(10_700, since=before.updated_at)


def test_a_bot_takes_a_late_seat_over() -> None:
    events = two(TAKES_OVER)
    seat = on_turn(events)
    given(*events).when(TakeOver(seat), Cause.TIMEOUT).then(handed_over(seat))
    other = Seat(1 - seat)
    given(*events).when(TakeOver(other), Cause.TIMEOUT).then_refused(Reason.NOT_YOUR_TURN)


def test_a_seat_whose_bot_only_plays_is_not_taken_over() -> None:
    events = two(PLAYS)
    command = TakeOver(on_turn(events))
    given(*events).when(command, Cause.TIMEOUT).then_refused(Reason.WRONG_PHASE)


def test_a_late_turn_is_taken_while_a_clock_runs() -> None:
    events = two(PLAYS)
    seat = on_turn(events)
    given(*events).when(Pass(seat), Cause.TIMEOUT).then(Passed(seat))
    unclocked = two(None)
    command = Pass(on_turn(unclocked))
    given(*unclocked).when(command, Cause.TIMEOUT).then_refused(Reason.NOT_SEATED)
    over = (*events, handed_over(seat))
    given(*over).when(Pass(seat), Cause.TIMEOUT).then_refused(Reason.NOT_SEATED)


def test_time_is_given_back_to_a_running_clock_alone() -> None:
    events = two(PLAYS)
    command = ExtendClock(900)
    given(*events).when(command, Cause.SYSTEM).then(ClockExtended(on_turn(events), 900))
    given(*two(None)).when(command, Cause.SYSTEM).then_refused(Reason.WRONG_PHASE)
    given(*game(PLAYS)).when(command, Cause.SYSTEM).then_refused(Reason.WRONG_PHASE)


def test_a_game_that_nobody_began_is_aborted_when_it_expires() -> None:
    given(*game(None)).when(Expire(), Cause.TIMEOUT).then(GameAborted())


def test_bots_finish_an_expired_game() -> None:
    events = two(None)
    both = (handed_over(Seat(0)), handed_over(Seat(1)))
    given(*events).when(Expire(), Cause.TIMEOUT).then(*both)
    one = (*events, handed_over(Seat(0)))
    given(*one).when(Expire(), Cause.TIMEOUT).then(handed_over(Seat(1)))


@pytest.mark.parametrize("clock", [None, PLAYS])
def test_time_given_back_where_no_clock_runs_is_a_corrupt_log(clock: Clock | None) -> None:
    after = evolve_all(None, *two(clock))
    seat = seat_to_act(after)
    assert seat is not None
    with pytest.raises(CorruptLog):
        evolve(after, ClockExtended(Seat(1 - seat), 5))


def test_a_rematch_has_the_clock_and_the_expiry_of_its_predecessor() -> None:
    before = evolve_all(None, *two(PLAYS))
    assert isinstance(before, Bidding)
    over = Finished(before.setup, before.match, (0,))
    command = rematch_command(GAME, over, ALICE, 0, is_bot=False)
    assert (command.clock, command.expires_in) == (PLAYS, 60)
