"""Clocks at a real store: late turns end once, never while the service was away."""

from threading import Thread

import pytest
from rq import Queue

from events.catalogue import Clock, ClockExtended, SeatHandedOver
from events.redis_store import due_key
from events.vocabulary import SHARDS, Cause, GameId, OnTimeout, PlayerId, Seat, shard_of
from service.game.clocks import deadline
from service.game.commands import CreateGame, ExtendClock, SeatWish, TakeSeat
from service.game.decide import legal_actions
from service.game.position import Position
from service.game.state import Aborted, Finished, seat_to_act
from service.wiring import Services, services
from service.workers.bot_turn import take_bot_turns
from service.workers.ticker import move_due
from tests.workers.conftest import Work
from tests.workers.tables import HOST, TARGET, position_of

ALL = frozenset(SHARDS)
GUEST = PlayerId("p_guest")
PLAYS, TAKES_OVER = OnTimeout.BOT_PLAYS, OnTimeout.BOT_TAKES_OVER


def two(parts: Services, on_timeout: OnTimeout | None, seconds: int = 0) -> Position:
    """A game of two persons, dealt; a turn of no seconds is late at once."""
    clock = None if on_timeout is None else Clock(seconds, on_timeout)
    wishes = (SeatWish("me"), SeatWish("open"))
    command = CreateGame(HOST, 2, wishes, TARGET, clock=clock, expires_in=seconds)
    table = parts.table
    made = position_of(table.create(command))
    return position_of(table.act(made.id, TakeSeat(GUEST, None, is_bot=False, now=table.now())))


def on_turn(position: Position) -> Seat:
    seat = seat_to_act(position.game)
    assert seat is not None
    return seat


def causes(parts: Services, game: GameId) -> list[Cause]:
    return [entry.cause for entry in parts.table.log(game)]


def went_away(parts: Services, milliseconds: int) -> None:
    """As if no beat had come for a while until now."""
    parts.heartbeat.beat()
    for shard in SHARDS:
        parts.client.decrby(f"pepper:{{{shard}}}:beat", milliseconds)


def test_a_bot_plays_a_late_turn_and_that_turn_alone(
    parts: Services, queue: Queue, work: Work
) -> None:
    game = two(parts, PLAYS, 5)
    late = two(parts, PLAYS)
    parts.heartbeat.beat()
    move_due(parts, queue, ALL)
    work()
    assert causes(parts, late.id)[late.version :][0] is Cause.TIMEOUT
    assert parts.table.look(late.id).version == late.version + 1
    assert parts.table.look(game.id).version == game.version


def test_a_bot_takes_a_late_seat_over_and_plays_it(
    parts: Services, queue: Queue, work: Work
) -> None:
    game = two(parts, TAKES_OVER)
    seat = on_turn(game)
    parts.heartbeat.beat()
    move_due(parts, queue, ALL)
    work()
    log = parts.table.log(game.id)[game.version :]
    assert isinstance(log[0].event, SeatHandedOver)
    assert (log[0].event.seat, log[0].event.left) == (seat, False)
    assert [entry.cause for entry in log[:2]] == [Cause.TIMEOUT, Cause.BOT]


def test_late_turns_end_a_whole_game_that_nobody_plays(
    parts: Services, queue: Queue, work: Work
) -> None:
    game = two(parts, PLAYS)
    for _turn in range(500):
        parts.heartbeat.beat()
        move_due(parts, queue, ALL)
        work()
        if isinstance(parts.table.look(game.id).game, Finished):
            break
    assert isinstance(parts.table.look(game.id).game, Finished)
    assert Cause.BOT not in causes(parts, game.id)


def test_without_a_fresh_heartbeat_no_turn_ends(parts: Services, queue: Queue) -> None:
    two(parts, PLAYS)
    move_due(parts, queue, ALL)
    went_away(parts, 5000)
    move_due(parts, queue, ALL)
    assert queue.get_job_ids() == []


def test_time_for_which_the_service_was_away_is_given_back_once(
    parts: Services, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = two(parts, PLAYS, 2)
    began, later = game.turn_since + 500, game.turn_since + 7500
    for shard in SHARDS:
        parts.client.zadd(f"pepper:{{{shard}}}:outages", {f"{began}-{later}": later})
        parts.client.set(f"pepper:{{{shard}}}:beat", later)
    monkeypatch.setattr(parts.store, "now", lambda: later + 100)
    move_due(parts, queue, ALL)
    monkeypatch.setattr(parts.store, "now", lambda: game.turn_since + 9000)
    move_due(parts, queue, ALL)
    assert queue.count == 1
    (given_back,) = parts.table.log(game.id)[game.version :]
    assert given_back.event == ClockExtended(on_turn(game), 7000)
    assert given_back.cause is Cause.SYSTEM
    assert deadline(parts.table.look(game.id)) == game.turn_since + 9000


def test_while_time_given_back_runs_nobody_is_late(
    parts: Services, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = two(parts, PLAYS, 2)
    parts.heartbeat.beat()
    parts.table.act(game.id, ExtendClock(50_000), cause=Cause.SYSTEM)
    ends = game.turn_since + 52_000
    assert parts.client.zscore(due_key(shard_of(game.id)), game.id) == ends
    monkeypatch.setattr(parts.store, "now", lambda: ends - 1)
    move_due(parts, queue, ALL)
    assert queue.count == 0


@pytest.mark.parametrize("on_timeout", [PLAYS, TAKES_OVER])
def test_a_job_that_comes_before_the_turn_is_late_does_nothing(
    parts: Services, on_timeout: OnTimeout
) -> None:
    game = two(parts, on_timeout, 60)
    assert take_bot_turns(parts.table, game.id, game.version, 1) is None
    assert parts.table.look(game.id).version == game.version


@pytest.mark.parametrize("on_timeout", [PLAYS, TAKES_OVER])
def test_jobs_of_one_late_turn_end_it_once(parts: Services, on_timeout: OnTimeout) -> None:
    game = two(parts, on_timeout)
    tables = [services(parts.settings).table for _ in range(8)]
    jobs = [
        Thread(target=take_bot_turns, args=(table, game.id, game.version, 0)) for table in tables
    ]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    assert causes(parts, game.id)[game.version :].count(Cause.TIMEOUT) == 1


def test_what_reaches_the_log_first_wins(parts: Services) -> None:
    game = two(parts, PLAYS)
    acted = position_of(parts.table.act(game.id, legal_actions(game.game)[0]))
    take_bot_turns(parts.table, game.id, game.version, 0)
    assert parts.table.look(game.id).version == acted.version


def test_a_game_without_a_clock_is_finished_by_bots_when_it_expires(
    parts: Services, queue: Queue
) -> None:
    game = two(parts, None)
    move_due(parts, queue, ALL)
    take_bot_turns(parts.table, game.id, parts.table.look(game.id).version, 60)
    assert isinstance(parts.table.look(game.id).game, Finished)


def test_a_table_that_nobody_joins_is_aborted_when_it_expires(
    parts: Services, queue: Queue
) -> None:
    command = CreateGame(HOST, 2, (SeatWish("me"), SeatWish("open")), expires_in=0)
    game = position_of(parts.table.create(command))
    move_due(parts, queue, ALL)
    assert isinstance(parts.table.look(game.id).game, Aborted)
    assert causes(parts, game.id)[-1] is Cause.TIMEOUT


def test_a_turn_that_two_jobs_died_of_gets_a_simple_choice(
    parts: Services, caplog: pytest.LogCaptureFixture
) -> None:
    game = two(parts, PLAYS)
    take_bot_turns(parts.table, game.id, game.version, 0, is_hopeless=True)
    (taken,) = parts.table.log(game.id)[game.version :]
    assert taken.cause is Cause.TIMEOUT
    assert "bot given up" in caplog.text
