"""The store of tests, simulation and the command line: logs in a dictionary."""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from events.store import (
    NO_ENTRIES,
    Appended,
    Due,
    Entry,
    Head,
    HeadLost,
    Recorded,
    Remembered,
    Request,
    SuccessorExists,
    VersionConflict,
    repeated,
)
from events.vocabulary import GameId


@dataclass
class MemoryEventStore:
    """Logs that live as long as the process; keeps every promise of the protocol."""

    logs: dict[GameId, list[Recorded]] = field(default_factory=dict)
    links: dict[GameId, GameId] = field(default_factory=dict)
    requests: dict[tuple[GameId, bytes], Remembered] = field(default_factory=dict)
    due: dict[GameId, int] = field(default_factory=dict)
    _one_at_a_time: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def read(self, game: GameId, after: Head = NO_ENTRIES) -> Sequence[Recorded]:
        """The entries after `after`; raises HeadLost if that is not in the log any more."""
        log = self.logs.get(game, [])
        if after.version and _head(log[: after.version]) != after:
            raise HeadLost(game)
        return log[after.version :]

    def append(
        self,
        game: GameId,
        expected: Head,
        command_id: bytes,
        entries: Sequence[Entry],
        *,
        due: Due | None = None,
        successor_of: GameId | None = None,
        request: Request | None = None,
        is_last: bool = False,
    ) -> Appended:
        """Add all entries or none; a command id seen before is answered as the first time."""
        with self._one_at_a_time:
            log = self.logs.get(game, [])
            if _head(log) != expected and _is_in(log, expected, command_id):
                return Appended(expected.version + len(entries), log[expected.version].at)
            if request is not None:
                self.check(request)
            if _head(log) != expected:
                raise VersionConflict(game)
            done = self._added(game, log, command_id, entries, due, successor_of)
            if request is not None:
                self.remember(request, game, done.version)
            return done

    def _added(
        self,
        game: GameId,
        log: list[Recorded],
        command_id: bytes,
        entries: Sequence[Entry],
        due: Due | None,
        successor_of: GameId | None,
    ) -> Appended:
        if successor_of is not None and self.links.setdefault(successor_of, game) != game:
            raise SuccessorExists(self.links[successor_of])
        at = max(self.now(), log[-1].at if log else 0)
        self.logs[game] = log + [
            Recorded(version, at, command_id, *entry)
            for version, entry in enumerate(entries, len(log) + 1)
        ]
        self.due.pop(game, None)
        if due is not None:
            self.due[game] = (at if due.since is None else due.since) + due.after
        return Appended(len(log) + len(entries), at)

    def check(self, request: Request) -> None:
        """Raises AlreadyDone if the request has been done, RequestReused."""
        if kept := self.requests.get((request.game, request.id)):
            raise repeated(request, kept)

    def remember(self, request: Request, game: GameId, version: int) -> None:
        """Remember a request that changed nothing; raises AlreadyDone, RequestReused."""
        done = Remembered(request.fingerprint, request.status, game, version)
        if (kept := self.requests.setdefault((request.game, request.id), done)) is not done:
            raise repeated(request, kept)

    def successor(self, game: GameId) -> GameId | None:
        """The game that was made to follow this one, if any."""
        return self.links.get(game)

    def now(self) -> int:
        """This machine's time, in milliseconds since 1970."""
        return time.time_ns() // 1_000_000


def _head(log: Sequence[Recorded]) -> Head:
    return Head(log[-1].version, log[-1].command_id) if log else NO_ENTRIES


def _is_in(log: Sequence[Recorded], expected: Head, command_id: bytes) -> bool:
    following = log[expected.version : expected.version + 1]
    return bool(following) and following[0].command_id == command_id
