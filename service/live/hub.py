"""The games that a process's clients listen to: each read once, each frame made once a seat."""

import logging
import queue
import threading
from collections.abc import Sequence
from contextlib import ExitStack

import orjson
from redis import Redis
from redis.exceptions import RedisError

from events.redis_store import wake_channel
from events.store import NO_ENTRIES, HeadLost, Recorded
from events.vocabulary import GameId, PlayerId
from service.game.position import Position, fold
from service.game.state import is_over
from service.live.presence import Presence
from service.live.wakeups import Wakeups
from service.live.watch import Gone, Online, Ready, Watch
from service.table import Table
from service.views.event_view import frames_by_seat
from service.views.public_event import LogChain
from service.views.seat_view import seat_seen_by

LOST_WAKE_UP = 2.0
"""Seconds after which every watched game is looked at, woken or not."""

_log = logging.getLogger(__name__)


class _Watched:
    """A game that somebody listens to, where the log has led it."""

    def __init__(self, game_id: GameId) -> None:
        self.game_id = game_id
        self.position: Position | None = None
        self.watches: set[Watch] = set()
        self.online = Online(b"")
        self._chain = LogChain(game_id)

    @property
    def version(self) -> int:
        """How far the log has been read."""
        return self.position.version if self.position else 0

    def take(self, log: Sequence[Recorded]) -> None:
        """Go on by these entries, and hand each listener its frames."""
        for recorded in log:
            before, self.position = self.position, fold(self.game_id, (recorded,), self.position)
            log_hash = self._chain.add(recorded)
            if self.position is not None and self.watches:
                self._hand_out(recorded, before, self.position, log_hash)

    @property
    def asks_who_is_online(self) -> bool:
        """Whether a listener does."""
        return any(watch.asks_who_is_online for watch in self.watches)

    def see(self, players: set[PlayerId]) -> None:
        """Tell the listeners who ask which seats listen, if others do than before."""
        game = self.position.game if self.position else None
        seen = [seat_seen_by(game, player) for player in players] if game else []
        seats = sorted(seat for seat in seen if seat is not None)
        body = {"type": "presence", "game": self.game_id, "online": seats}
        online = Online(orjson.dumps(body))
        if online == self.online:
            return
        self.online = online
        for watch in list(self.watches):
            if watch.asks_who_is_online and not watch.put(online):
                self.watches.discard(watch)

    def _hand_out(
        self, recorded: Recorded, before: Position | None, position: Position, log_hash: str
    ) -> None:
        is_last = is_over(position.game)
        seats = {watch: seat_seen_by(position.game, watch.viewer) for watch in self.watches}
        made = frames_by_seat(recorded, before, position, set(seats.values()), log_hash)
        ready = {
            seat: Ready(position.version, orjson.dumps(each), is_last)
            for seat, each in made.items()
        }
        for watch in sorted(seats, key=_is_of_a_spectator):
            if not watch.put(ready[seats[watch]]):
                self.watches.discard(watch)


class Hub:
    """Everything a process listens to, over one connection; started by the first listener."""

    def __init__(self, table: Table, presence: Presence, client: Redis) -> None:
        self._table, self._presence, self._client = table, presence, client
        self._games: dict[GameId, _Watched] = {}
        self._lock = threading.RLock()
        self._rung: queue.SimpleQueue[GameId | None] = queue.SimpleQueue()
        self._wakeups: Wakeups | None = None
        self._closed = threading.Event()

    def watch(self, game_id: GameId, viewer: PlayerId | None, reached: int = 0) -> Watch:
        """Listen to a game from its version now (`since`); raises GameUnknown. Then `leave` it.

        `reached`: a version that the listener knows of, though this process may not yet.
        """
        watch = Watch(game_id, viewer)
        with self._lock:
            game = self._games.get(game_id) or self._begin(game_id)
            if game.version < reached:
                self._read_on(game_id)
                game = self._games.get(game_id) or self._begin(game_id)
            game.watches.add(watch)
            if game.position is not None:
                watch.since = game.position.version
                watch.is_over = is_over(game.position.game)
            if self._closed.is_set():
                watch.put(Gone("closing"))
        return watch

    def is_seated(self, watch: Watch) -> bool:
        """Whether its player sits at the table, as far as the log has been read."""
        with self._lock:
            game = self._games.get(watch.game_id)
            position = game.position if game else None
            return position is not None and seat_seen_by(position.game, watch.viewer) is not None

    def ask_who_is_online(self, watch: Watch) -> Online:
        """Who listens now; who comes and goes from now on is told by frames."""
        with self._lock:
            game = self._games.get(watch.game_id) or _Watched(watch.game_id)
            game.see(self._presence.online(watch.game_id))
            watch.asks_who_is_online = True
            return game.online

    def leave(self, watch: Watch) -> None:
        """Listen no more; the last to leave a game makes the process forget it."""
        with self._lock:
            game = self._games.get(watch.game_id)
            if game is None:
                return
            game.watches.discard(watch)
            if not game.watches:
                self._forget(watch.game_id)

    def close(self) -> None:
        """Send every listener away, now and from now on: the process ends."""
        with self._lock:
            self._closed.set()
            self._rung.put(None)
            for game in self._games.values():
                _dismiss(game, "closing")
        if self._wakeups is not None:
            self._wakeups.close()

    def listeners(self) -> int:
        """How many watches are held."""
        with self._lock:
            return sum(len(game.watches) for game in self._games.values())

    def _begin(self, game_id: GameId) -> _Watched:
        """Wake-ups first, the log then: what is appended between the two is read again."""
        game = _Watched(game_id)
        with ExitStack() as undone:
            self._games[game_id] = game
            undone.callback(self._forget, game_id)
            if not self._closed.is_set():
                self._started().listen(wake_channel(game_id))
            game.take(self._table.log(game_id))
            undone.pop_all()
        return game

    def _forget(self, game_id: GameId) -> None:
        del self._games[game_id]
        if self._wakeups is not None:
            self._wakeups.ignore(wake_channel(game_id))

    def _started(self) -> Wakeups:
        if self._wakeups is None:
            self._wakeups = Wakeups(self._client, self._ring)
            for run in (self._pump, self._look_round):
                threading.Thread(target=run, daemon=True, name=run.__name__).start()
        return self._wakeups

    def _ring(self, channel: str) -> None:
        self._rung.put(GameId(channel.rpartition(":")[2]))

    def _pump(self) -> None:
        while (game_id := self._rung.get()) is not None:
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
                if game.asks_who_is_online:
                    game.see(self._presence.online(game_id))
            except HeadLost:
                self._drop(game_id, "reset")
            except RedisError as fault:  # the look-round comes back to it
                _log.warning("hub: %s: %s", game_id, fault)

    def _drop(self, game_id: GameId, reason: str) -> None:
        with self._lock:
            game = self._games.get(game_id)
            if game is not None:
                self._forget(game_id)
                _dismiss(game, reason)

    def _look_round(self) -> None:
        while not self._closed.wait(LOST_WAKE_UP):
            with self._lock:
                games = list(self._games)
            for game_id in games:
                self._rung.put(game_id)


def _is_of_a_spectator(watch: Watch) -> bool:
    return watch.viewer is None


def _dismiss(game: _Watched, reason: str) -> None:
    for watch in game.watches:
        watch.put(Gone(reason))
