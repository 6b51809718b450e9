"""The ticker process: what must happen by a time happens, though nobody asks for it.

Turns of persons end, stalled games move, games expire; erasures and deliveries go on, finished
games are packed, feeds are trimmed.
"""

import logging
import secrets
import time

from redis.exceptions import RedisError
from rq import Queue

from events.feed import Feed
from events.leases import Leases
from events.vocabulary import Cause, GameId, shard_of
from service.game.clocks import BOT_TURN_GRACE, deadline, expires_at
from service.game.commands import Expire, ExtendClock
from service.game.position import Position
from service.game.state import is_bot_turn
from service.settings import Settings
from service.stopping import is_asked, stop_signals
from service.table import UNREADABLE, GameUnknown, VersionMismatch
from service.wiring import Services, queue_client, services, wait_for_server
from service.workers.erasing import finish_erasures
from service.workers.jobs import bot_queue, enqueue_next_attempt, queued_turns, turn_name
from service.workers.packing import pack_finished
from service.workers.reading import report
from service.workers.webhook_jobs import enqueue_due, webhook_queue

TICK_SECONDS, CHORES_SECONDS, TRIM_SECONDS = 0.05, 0.5, 60.0
PAUSE_AFTER_FAULT = 0.5
GRACE_EACH_QUEUED = 5
"""Milliseconds longer that a game may wait for each job in the queue: looking costs as well."""

BEAT_AWAITED, REPAIR_AWAITED = 500, 3_600_000
"""Milliseconds until a look again: at a turn while the service is away, at a broken log."""

CHORES_SHARD = "0"
"""Whoever holds this shard does what is not about one shard."""

log = logging.getLogger(__name__)


def run_ticker(settings: Settings) -> None:
    """Tick until SIGTERM or SIGINT; outages of either server are waited out."""
    ticker = Ticker(settings)
    wait_for_server(ticker.parts.client)
    asked = stop_signals()
    pause = TICK_SECONDS
    while not is_asked(asked, pause):
        try:
            ticker.tick()
            pause = TICK_SECONDS
        except RedisError as fault:
            log.warning("ticker waits: %s", type(fault).__name__)
            pause = PAUSE_AFTER_FAULT
    ticker.stop()


class Ticker:
    """Does what is due on the shards that it holds."""

    def __init__(self, settings: Settings) -> None:
        self.parts = services(settings)
        queue_server = queue_client(settings)
        self._queue, self._deliveries = bot_queue(queue_server), webhook_queue(queue_server)
        self._leases = Leases(self.parts.client, "ticker", secrets.token_hex(8))
        self._trimmer = Feed(self.parts.client, self.parts.client, "bots", "trimmer")
        self._chores_at, self._trim_at = 0.0, time.monotonic() + TRIM_SECONDS

    def tick(self) -> None:
        """Move what is due now."""
        held = self._leases.held()
        move_due(self.parts, self._queue, held)
        now = time.monotonic()
        if now < self._chores_at:
            return
        self._chores_at = now + CHORES_SECONDS
        pack_finished(self.parts, held)
        if CHORES_SHARD not in held:
            return
        enqueue_due(self.parts, self._deliveries)
        finish_erasures(self.parts)
        if now > self._trim_at:
            self._trim_at = now + TRIM_SECONDS
            for follower in self._trimmer.trim():
                log.warning("follower %s is forgotten: nobody has run it for long", follower)

    def stop(self) -> None:
        """Let another ticker go on at once."""
        try:
            self._leases.release()
        except RedisError as fault:
            log.warning("leases run out by themselves: %s", type(fault).__name__)


def move_due(parts: Services, queue: Queue, shards: frozenset[str]) -> None:
    """Move every game of some shards whose time has come."""
    now = parts.store.now()
    due = parts.store.due_games(shards, now)
    if due:
        _Mover(parts, queue, now).move_all(due)


class _Mover:
    """Moves games that are due at one time."""

    def __init__(self, parts: Services, queue: Queue, now: int) -> None:
        self._parts, self._queue, self._now = parts, queue, now
        self._store, self._heartbeat = parts.store, parts.heartbeat
        self._queued = queued_turns(queue)
        self._grace = BOT_TURN_GRACE + GRACE_EACH_QUEUED * len(self._queued)

    def move_all(self, games: list[GameId]) -> None:
        """Move these; one that has moved meanwhile is left alone."""
        for game in games:
            try:
                self._move(self._parts.table.look(game))
            except VersionMismatch:
                continue
            except GameUnknown:
                self._store.forget(game, self._now)
            except UNREADABLE as fault:
                report(game, fault)
                self._store.postpone(game, self._now + REPAIR_AWAITED)

    def _move(self, position: Position) -> None:
        if is_bot_turn(position.game):
            self._wake_bot(position)
        elif (turn_ends := deadline(position)) is not None:
            self._end_turn(position, turn_ends)
        elif (expires := expires_at(position)) is not None:
            self._expire(position, expires)
        else:
            self._store.forget(position.id, self._now)

    def _wake_bot(self, position: Position) -> None:
        """Queue the turn again unless it is queued: its job was lost, or is with a dead worker."""
        game, version = position.id, position.version
        if turn_name(game, version) not in self._queued:
            attempt = enqueue_next_attempt(self._queue, game, version)
            if is_bot_turn(position.game) or attempt:
                log.warning("game %s waited for a bot at version %d", game, version)
        self._store.postpone(game, self._now + self._grace)

    def _end_turn(self, position: Position, ends: int) -> None:
        shard = shard_of(position.id)
        if ends > self._now:
            self._store.postpone(position.id, ends)
        elif not self._heartbeat.is_fresh(shard, self._now):
            self._store.postpone(position.id, self._now + BEAT_AWAITED)
        elif owed := self._owed(position, shard):
            self._act(position, ExtendClock(owed), Cause.SYSTEM)
        else:
            self._wake_bot(position)

    def _owed(self, position: Position, shard: str) -> int:
        """The milliseconds of this turn for which nobody could act, not yet given back."""
        away = self._heartbeat.away(shard, position.turn_since, self._now)
        return max(0, away - position.extended)

    def _expire(self, position: Position, expires: int) -> None:
        if expires > self._now:
            self._store.postpone(position.id, expires)
        else:
            self._act(position, Expire(), Cause.TIMEOUT)

    def _act(self, position: Position, command: ExtendClock | Expire, cause: Cause) -> None:
        self._parts.table.act(position.id, command, cause=cause, expected=position.version)
