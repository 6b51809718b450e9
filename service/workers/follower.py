"""The follower process: wakes bots, keeps the lobby and inboxes, tells webhooks."""

import logging
import secrets
import sys
import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue

from redis.exceptions import RedisError
from rq import Queue

from events.feed import Feed, FeedEntry
from events.vocabulary import Cause
from service.game.state import is_bot_turn
from service.settings import Settings
from service.stopping import stop_signals
from service.wiring import (
    Services,
    blocking_client,
    queue_client,
    services,
    wait_for_server,
)
from service.workers.erasing import keep_out
from service.workers.inbox_notices import InboxKeeper
from service.workers.jobs import bot_queue, enqueue_bot_turn
from service.workers.reading import readable
from service.workers.webhook_jobs import enqueue_due, webhook_queue
from service.workers.webhook_news import tell_webhooks

BLOCK_MS = 1000
GATHERED_FOR = {"lobby": 0.1, "webhooks": 0.1, "inbox": 0.02}
"""Seconds for which a follower gathers news: to it a burst of bots' moves is one change."""

PAUSE_AFTER_FAULT = 0.5
LOOP_ENDED = 0

log = logging.getLogger(__name__)
Handler = Callable[[Sequence[FeedEntry]], None]
Loop = Callable[[Settings, threading.Event], None]


def run_follower(settings: Settings) -> None:
    """Follow until SIGTERM or SIGINT; outages of either server are waited out.

    A loop that fails ends the process, to be started again whole.
    """
    wait_for_server(services(settings).client)
    asked, stop = stop_signals(), threading.Event()
    arguments = (settings, stop, asked)
    loops = (_bots, _lobby, _inbox, _webhooks)
    threads = [threading.Thread(target=_run, args=(loop, *arguments)) for loop in loops]
    for thread in threads:
        thread.start()
    reason = asked.get()
    stop.set()
    for thread in threads:
        thread.join()
    if reason == LOOP_ENDED:
        sys.exit("pepper: the follower failed; see above")


def _run(loop: Loop, settings: Settings, stop: threading.Event, asked: SimpleQueue[int]) -> None:
    try:
        loop(settings, stop)
    finally:
        asked.put(LOOP_ENDED)


def _bots(settings: Settings, stop: threading.Event) -> None:
    parts, queue = services(settings), bot_queue(queue_client(settings))
    _follow(settings, parts, "bots", lambda entries: wake_bots(parts, queue, entries), stop)


def _lobby(settings: Settings, stop: threading.Event) -> None:
    parts = services(settings)
    _follow(settings, parts, "lobby", lambda entries: keep_lobby(parts, entries), stop)


def _inbox(settings: Settings, stop: threading.Event) -> None:
    parts = services(settings)
    _follow(settings, parts, "inbox", InboxKeeper(parts).keep, stop)


def _webhooks(settings: Settings, stop: threading.Event) -> None:
    parts, queue = services(settings), webhook_queue(queue_client(settings))

    def handle(entries: Sequence[FeedEntry]) -> None:
        tell_webhooks(parts, entries)
        enqueue_due(parts, queue)

    _follow(settings, parts, "webhooks", handle, stop)


def _follow(
    settings: Settings, parts: Services, name: str, handle: Handler, stop: threading.Event
) -> None:
    feed = Feed(parts.client, blocking_client(settings), name, secrets.token_hex(8))
    while not stop.is_set():
        try:
            entries = feed.take(BLOCK_MS)
            if entries and name in GATHERED_FOR:
                stop.wait(GATHERED_FOR[name])
                entries = feed.take(0)
            if entries:
                handle(entries)
                feed.done(entries)
        except RedisError as fault:
            log.warning("follower %s waits: %s", name, type(fault).__name__)
            stop.wait(PAUSE_AFTER_FAULT)
    try:
        feed.release()
    except RedisError as fault:
        log.warning("leases run out by themselves: %s", type(fault).__name__)


def wake_bots(parts: Services, queue: Queue, entries: Sequence[FeedEntry]) -> None:
    """Queue the turn of every game that now waits for a bot.

    What a bot appended is left out: the job that appended it goes on by itself or queues its game
    again, and if it died the ticker revives the game.
    """
    latest = {entry.game: entry for entry in entries}
    games = [game for game, entry in latest.items() if entry.cause is not Cause.BOT]
    for position in readable(parts.table, games):
        if is_bot_turn(position.game):
            enqueue_bot_turn(queue, position.id, position.version)


def keep_lobby(parts: Services, entries: Sequence[FeedEntry]) -> None:
    """Take note of every game that changed."""
    positions = [*readable(parts.table, {entry.game for entry in entries})]
    for position in positions:
        parts.lobby.record(position)
    keep_out(parts, positions)
