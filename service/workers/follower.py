"""The follower process: wakes bots, keeps the lobby, revives games that wait, trims the feeds."""

import logging
import secrets
import signal
import threading
import time
from collections.abc import Callable, Sequence

from redis.exceptions import RedisError
from rq import Queue

from events.feed import Feed, FeedEntry
from events.vocabulary import SHARDS, Cause, GameId
from service.game.state import is_bot_turn
from service.settings import Settings
from service.table import BOT_TURN_GRACE
from service.wiring import (
    Services,
    blocking_client,
    queue_client,
    services,
    wait_for_server,
)
from service.workers.jobs import bot_queue, enqueue_bot_turn

BLOCK_MS, TICK_SECONDS, TRIM_SECONDS = 1000, 0.5, 60.0
PAUSE_AFTER_FAULT = 0.5

log = logging.getLogger(__name__)
Handler = Callable[[Sequence[FeedEntry]], None]


def run_follower(settings: Settings) -> None:
    """Follow until SIGTERM or SIGINT; outages of either server are waited out."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_signal: stop.set())
    wait_for_server(services(settings).client)
    loops = (_bots, _lobby, _ticker)
    threads = [threading.Thread(target=loop, args=(settings, stop)) for loop in loops]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _bots(settings: Settings, stop: threading.Event) -> None:
    parts, queue = services(settings), bot_queue(queue_client(settings))
    _follow(settings, parts, "bots", lambda entries: wake_bots(parts, queue, entries), stop)


def _lobby(settings: Settings, stop: threading.Event) -> None:
    parts = services(settings)
    _follow(settings, parts, "lobby", lambda entries: keep_lobby(parts, entries), stop)


def _follow(
    settings: Settings, parts: Services, name: str, handle: Handler, stop: threading.Event
) -> None:
    feed = Feed(parts.client, blocking_client(settings), name, secrets.token_hex(8))
    while not stop.is_set():
        try:
            entries = feed.take(BLOCK_MS)
            if entries:
                handle(entries)
                feed.done(entries)
        except RedisError as fault:
            log.warning("follower %s waits: %s", name, type(fault).__name__)
            stop.wait(PAUSE_AFTER_FAULT)
    _quietly(feed.release)


def wake_bots(parts: Services, queue: Queue, entries: Sequence[FeedEntry]) -> None:
    """Queue the turn of every game that now waits for a bot.

    What a bot appended is left out: the job that appended it goes on by itself or queues its game
    again, and if it died the ticker revives the game.
    """
    latest = {entry.game: entry for entry in entries}
    for game, entry in latest.items():
        if entry.cause is not Cause.BOT:
            _wake(parts, queue, game)


def _wake(parts: Services, queue: Queue, game: GameId) -> None:
    position = parts.table.look(game)
    if is_bot_turn(position.game):
        enqueue_bot_turn(queue, game, position.version)


def keep_lobby(parts: Services, entries: Sequence[FeedEntry]) -> None:
    """Take note of every game that changed."""
    for game in {entry.game for entry in entries}:
        parts.lobby.record(parts.table.look(game))


def _ticker(settings: Settings, stop: threading.Event) -> None:
    parts, queue = services(settings), bot_queue(queue_client(settings))
    trimmer = Feed(parts.client, parts.client, "bots", "trimmer")
    trim_at = time.monotonic() + TRIM_SECONDS
    while not stop.wait(TICK_SECONDS):
        try:
            revive(parts, queue)
            if time.monotonic() > trim_at:
                trim_at = time.monotonic() + TRIM_SECONDS
                trimmer.trim()
        except RedisError as fault:
            log.warning("ticker waits: %s", type(fault).__name__)


def revive(parts: Services, queue: Queue) -> None:
    """Queue again the turn of every game that has waited for a bot too long."""
    now = parts.store.now()
    for shard in SHARDS:
        for game in parts.store.due_games(shard, now):
            _wake(parts, queue, game)
            parts.store.postpone(game, now + BOT_TURN_GRACE)


def _quietly(release: Callable[[], None]) -> None:
    try:
        release()
    except RedisError as fault:
        log.warning("leases run out by themselves: %s", type(fault).__name__)
