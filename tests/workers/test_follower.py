"""The follower: who is woken, and that one bad game or a failed loop stops nobody else."""

import os
import signal
import threading
from collections.abc import Callable

import pytest
from redis import Redis
from rq import Queue

from events.feed import Feed, FeedEntry
from events.redis_store import log_key
from events.vocabulary import Cause, GameId, Seat, shard_of
from service.game.commands import LeaveSeat
from service.game.position import Position
from service.game.state import is_bot_turn
from service.settings import Settings
from service.wiring import Services
from service.workers import follower
from service.workers.bot_turn import take_bot_turns
from service.workers.follower import keep_lobby, run_follower, wake_bots
from service.workers.jobs import turn_name
from tests.workers.tables import (
    HOST,
    act_for_host,
    found,
    position_of,
    waiting_for_host,
)


def news(parts: Services) -> list[FeedEntry]:
    """Everything that the feeds hold and no test has taken."""
    feed, entries = Feed(parts.client, parts.client, "tests", "a test"), []
    while taken := feed.take(0):
        entries += taken
        feed.done(taken)
    feed.release()
    return entries


def queued(queue: Queue) -> list[str]:
    return sorted(str(job_id).rpartition("-")[0] for job_id in queue.get_job_ids())


def turn(position: Position) -> str:
    return turn_name(position.id, position.version)


def spoil(client: Redis, game: GameId) -> None:
    """Put an entry into a log that nobody can read."""
    client.xadd(log_key(game), {"e": b"no such event"})


def test_a_game_that_begins_with_a_bot_is_woken(parts: Services, queue: Queue) -> None:
    game = found(parts.table, "bot", "bot", "bot")
    wake_bots(parts, queue, news(parts))
    assert queued(queue) == [turn(game)]


def test_a_persons_action_wakes_the_bot_after_them(parts: Services, queue: Queue) -> None:
    after = act_for_host(parts.table, waiting_for_host(parts.table))
    assert is_bot_turn(after.game)
    news_of_game = [entry for entry in news(parts) if entry.game == after.id]
    wake_bots(parts, queue, news_of_game)
    assert queued(queue) == [turn(after)]


def test_a_persons_turn_wakes_nobody(parts: Services, queue: Queue) -> None:
    game = waiting_for_host(parts.table)
    wake_bots(parts, queue, [entry for entry in news(parts) if entry.game == game.id])
    assert queued(queue) == []


def test_what_bots_append_wakes_nobody(parts: Services, queue: Queue) -> None:
    game = found(parts.table, "bot", "bot")
    news(parts)
    assert take_bot_turns(parts.table, game.id, game.version, 0) is not None
    by_bots = news(parts)
    assert {entry.cause for entry in by_bots} == {Cause.BOT}
    assert is_bot_turn(parts.table.look(game.id).game)
    wake_bots(parts, queue, by_bots)
    assert queued(queue) == []


def test_a_seat_handed_over_on_turn_wakes_its_bot(parts: Services, queue: Queue) -> None:
    game = waiting_for_host(parts.table)
    news(parts)
    after = position_of(parts.table.act(game.id, LeaveSeat(HOST, Seat(0))))
    wake_bots(parts, queue, news(parts))
    assert queued(queue) == [turn(after)]


def test_news_told_twice_queue_a_turn_once(parts: Services, queue: Queue) -> None:
    game = found(parts.table, "bot", "bot")
    entries = news(parts)
    for _ in range(3):
        wake_bots(parts, queue, entries)
    assert queued(queue) == [turn(game)]


@pytest.mark.parametrize("fault", ["an entry nobody can read", "no log"])
def test_a_bad_game_is_reported_and_the_others_go_on(
    parts: Services, queue: Queue, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    games = [found(parts.table, "bot", "bot", visibility="public") for _ in range(3)]
    entries, bad = news(parts), games[1].id
    if fault == "no log":
        parts.client.delete(log_key(bad))
    else:
        spoil(parts.client, bad)
    wake_bots(parts, queue, entries)
    keep_lobby(parts, entries)
    assert queued(queue) == sorted([turn(games[0]), turn(games[2])])
    for game in (games[0], games[2]):
        assert parts.client.exists(f"pepper:{{{shard_of(game.id)}}}:summary:{game.id}")
    assert bad in caplog.text


def test_a_loop_that_fails_ends_the_process(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_settings: Settings, _stop: threading.Event) -> None:
        raise SystemError("a fault that nobody thought of")

    monkeypatch.setattr(follower, "_lobby", failing)
    monkeypatch.setattr(threading, "excepthook", lambda _details: None)
    restore = keep_handlers()
    with pytest.raises(SystemExit) as ended:
        run_follower(settings)
    restore()
    assert ended.value.code not in (None, 0)


def test_a_signal_ends_the_process_well(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asking(_settings: Settings, stop: threading.Event) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        stop.wait(10)

    monkeypatch.setattr(follower, "_lobby", asking)
    restore = keep_handlers()
    run_follower(settings)
    restore()


def keep_handlers() -> Callable[[], None]:
    """Remember this process's signal handlers; what it gives puts them back."""
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    handlers = {number: signal.getsignal(number) for number in numbers}

    def restore() -> None:
        for number, handler in handlers.items():
            signal.signal(number, handler)

    return restore
