"""What the clock makes happen: stalled games move, deliveries and erasures go on, feeds are cut."""

import logging
import threading
import time

from redis.exceptions import RedisError
from rq import Queue

from events.feed import Feed
from events.vocabulary import SHARDS, GameId
from service.game.state import is_bot_turn
from service.settings import Settings
from service.table import BOT_TURN_GRACE, UNREADABLE, GameUnknown
from service.wiring import Services, queue_client, services
from service.workers.erasing import finish_erasures
from service.workers.jobs import bot_queue, enqueue_next_attempt, queued_turns, turn_name
from service.workers.reading import report
from service.workers.webhook_jobs import enqueue_due, webhook_queue

TICK_SECONDS, TRIM_SECONDS = 0.5, 60.0
GRACE_EACH_QUEUED = 5
"""Milliseconds longer that a game may wait for each job in the queue: looking costs as well."""

log = logging.getLogger(__name__)


def tick(settings: Settings, stop: threading.Event) -> None:
    """Revive games, queue deliveries, finish erasures and trim the feeds until told to stop."""
    parts, queue = services(settings), bot_queue(queue_client(settings))
    deliveries = webhook_queue(queue_client(settings))
    trimmer = Feed(parts.client, parts.client, "bots", "trimmer")
    trim_at = time.monotonic() + TRIM_SECONDS
    while not stop.wait(TICK_SECONDS):
        try:
            revive(parts, queue)
            enqueue_due(parts, deliveries)
            finish_erasures(parts)
            if time.monotonic() > trim_at:
                trim_at = time.monotonic() + TRIM_SECONDS
                trimmer.trim()
        except RedisError as fault:
            log.warning("ticker waits: %s", type(fault).__name__)


def revive(parts: Services, queue: Queue) -> None:
    """Queue again the turn of every game that has waited for a bot too long with none queued."""
    now = parts.store.now()
    due = [game for shard in SHARDS for game in parts.store.due_games(shard, now)]
    queued = queued_turns(queue) if due else frozenset()
    grace = BOT_TURN_GRACE + GRACE_EACH_QUEUED * len(queued)
    for game in due:
        if _is_waiting(parts, queue, game, queued):
            parts.store.postpone(game, now + grace)
        else:
            parts.store.forget(game, now)


def _is_waiting(parts: Services, queue: Queue, game: GameId, queued: frozenset[str]) -> bool:
    try:
        position = parts.table.look(game)
    except GameUnknown:
        return False
    except UNREADABLE as fault:
        report(game, fault)
        return True
    if not is_bot_turn(position.game):
        return False
    if turn_name(game, position.version) not in queued:
        log.warning("game %s waited for a bot at version %d", game, position.version)
        enqueue_next_attempt(queue, game, position.version)
    return True
