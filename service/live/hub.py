"""The games that a process's clients listen to: each read once, each frame made once a seat."""

import logging
import queue
import threading
import time
from collections.abc import Sequence
from typing import NamedTuple

import orjson
from redis import Redis
from redis.exceptions import RedisError

from events.redis_store import wake_channel
from events.store import NO_ENTRIES, HeadLost, Recorded
from events.vocabulary import GameId, PlayerId, Seat
from service.game.position import Position, fold
from service.game.state import is_over
from service.live.wakeups import Wakeups
from service.table import GameUnknown, Table
from service.views.event_view import frame
from service.views.public_event import LogChain
from service.views.seat_view import seat_seen_by

LOST_WAKE_UP = 2.0
"""Seconds after which every watched game is looked at, woken or not."""

MOST_WAITING_FRAMES = 200
"""A reader that is this many frames behind is cut: it resumes where it stopped."""

_log = logging.getLogger(__name__)


class Ready(NamedTuple):
    """A frame as it goes out; `version` is its id, `is_last` ends the stream."""

    version: int
    json: bytes
    is_last: bool


class Gone(NamedTuple):
    """No more frames come here: the client should connect again."""

    reason: str


class Watch:
    """One listener: the frames of the versions after `since`, in order, each once.

    `is_over`: the game had ended when the watch began, so that no frame follows.
    """

    def __init__(self, game_id: GameId, viewer: PlayerId | None) -> None:
        self.game_id, self.viewer = game_id, viewer
        self.since, self.is_over = 0, False
        self._frames: queue.SimpleQueue[Ready | Gone] = queue.SimpleQueue()

    def next(self, seconds: float) -> Ready | Gone | None:
        """What comes next, None if nothing does within so long."""
        try:
            return self._frames.get(timeout=max(seconds, 0.0))
        except queue.Empty:
            return None

    def put(self, item: Ready | Gone) -> bool:
        """Hand the listener a frame, or cut it if it does not keep up; whether it does."""
        if self._frames.qsize() >= MOST_WAITING_FRAMES:
            self._frames = queue.SimpleQueue()
            self._frames.put(Gone("slow"))
            return False
        self._frames.put(item)
        return True


class _Watched:
    """A game that somebody listens to, where the log has led it."""

    def __init__(self, game_id: GameId) -> None:
        self.game_id = game_id
        self.position: Position | None = None
        self.watches: set[Watch] = set()
        self._chain = LogChain(game_id)

    def take(self, log: Sequence[Recorded]) -> None:
        """Go on by these entries, and hand each listener its frames."""
        for recorded in log:
            before, self.position = self.position, fold(self.game_id, (recorded,), self.position)
            log_hash = self._chain.add(recorded)
            if self.position is not None and self.watches:
                self._hand_out(recorded, before, self.position, log_hash)

    def _hand_out(
        self, recorded: Recorded, before: Position | None, position: Position, log_hash: str
    ) -> None:
        made: dict[Seat | None, Ready] = {}
        is_last = is_over(position.game)
        for watch in list(self.watches):
            seat = seat_seen_by(position.game, watch.viewer)
            if seat not in made:
                body = orjson.dumps(frame(recorded, before, position, seat, log_hash))
                made[seat] = Ready(position.version, body, is_last)
            if not watch.put(made[seat]):
                self.watches.discard(watch)


class Hub:
    """Everything a process listens to, over one connection; started by the first listener."""

    def __init__(self, table: Table, client: Redis) -> None:
        self._table, self._client = table, client
        self._games: dict[GameId, _Watched] = {}
        self._lock = threading.RLock()
        self._rung: queue.SimpleQueue[GameId] = queue.SimpleQueue()
        self._wakeups: Wakeups | None = None
        self._is_closed = False

    def watch(self, game_id: GameId, viewer: PlayerId | None) -> Watch:
        """Listen to a game from its version now (`since`); raises GameUnknown. Then `leave` it."""
        watch = Watch(game_id, viewer)
        with self._lock:
            self._start()
            game = self._games.get(game_id)
            if game is None:
                game = self._games[game_id] = _Watched(game_id)
                self._listen(game)
            game.watches.add(watch)
            if game.position is not None:
                watch.since = game.position.version
                watch.is_over = is_over(game.position.game)
            if self._is_closed:
                watch.put(Gone("closing"))
        return watch

    def leave(self, watch: Watch) -> None:
        """Listen no more; the last to leave a game makes the process forget it."""
        with self._lock:
            game = self._games.get(watch.game_id)
            if game is None:
                return
            game.watches.discard(watch)
            if not game.watches:
                del self._games[watch.game_id]
                if self._wakeups is not None:
                    self._wakeups.ignore(wake_channel(watch.game_id))

    def close(self) -> None:
        """Send every listener away, now and from now on: the process ends."""
        with self._lock:
            self._is_closed = True
            for game in self._games.values():
                _dismiss(game, "closing")

    def listeners(self) -> int:
        """How many watches are held."""
        with self._lock:
            return sum(len(game.watches) for game in self._games.values())

    def _listen(self, game: _Watched) -> None:
        assert self._wakeups is not None  # noqa: S101  (started)
        try:
            self._wakeups.listen(wake_channel(game.game_id))
            game.take(self._table.log(game.game_id))
        except (GameUnknown, RedisError):
            del self._games[game.game_id]
            self._wakeups.ignore(wake_channel(game.game_id))
            raise

    def _start(self) -> None:
        if self._wakeups is None:
            self._wakeups = Wakeups(self._client, self._ring)
            for run in (self._pump, self._look_round):
                threading.Thread(target=run, daemon=True, name=run.__name__).start()

    def _ring(self, channel: str) -> None:
        self._rung.put(GameId(channel.rpartition(":")[2]))

    def _pump(self) -> None:
        while True:
            game_id = self._rung.get()
            try:
                self._read_on(game_id)
            except Exception:
                _log.exception("hub: %s", game_id)
                self._drop(game_id, "fault")

    def _read_on(self, game_id: GameId) -> None:
        with self._lock:
            game = self._games.get(game_id)
            if game is None:
                return
            head = game.position.head if game.position else NO_ENTRIES
            try:
                game.take(self._table.log_after(game_id, head))
            except HeadLost:
                self._drop(game_id, "reset")
            except RedisError as fault:  # the look-round comes back to it
                _log.warning("hub: %s: %s", game_id, fault)

    def _drop(self, game_id: GameId, reason: str) -> None:
        with self._lock:
            game = self._games.pop(game_id, None)
            if game is not None:
                _dismiss(game, reason)

    def _look_round(self) -> None:
        while True:
            time.sleep(LOST_WAKE_UP)
            with self._lock:
                games = list(self._games)
            for game_id in games:
                self._rung.put(game_id)


def _dismiss(game: _Watched, reason: str) -> None:
    for watch in game.watches:
        watch.put(Gone(reason))
