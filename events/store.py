"""What every event store promises: one log a game, appended to by whoever read its last entry."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from events.catalogue import Event
from events.vocabulary import Cause, GameId


class Entry(NamedTuple):
    """One event on its way into a log, and who made it happen."""

    cause: Cause
    event: Event


class Recorded(NamedTuple):
    """One event of a log: `at` is the store's time in milliseconds since 1970."""

    version: int
    at: int
    command_id: bytes
    cause: Cause
    event: Event


class Head(NamedTuple):
    """The last entry of a log as somebody read it: version alone can lie after a failover."""

    version: int
    command_id: bytes


NO_ENTRIES = Head(0, b"")


class Due(NamedTuple):
    """When to look at a game again: `after` milliseconds since a time, or since the append."""

    after: int
    since: int | None = None


COMMAND_ID_BYTES = 8
FINGERPRINT_BYTES = 16


class Appended(NamedTuple):
    """Where an append ended: the log's version right after it, and its time in milliseconds."""

    version: int
    at: int


class Request(NamedTuple):
    """A client's request that is done once, however often it comes.

    `id` (16 bytes) names who asks and their key, `fingerprint` (16 bytes) what they ask,
    `status` what it is answered with, `game` whose shard remembers it.
    """

    game: GameId
    id: bytes
    fingerprint: bytes
    status: int


class Remembered(NamedTuple):
    """A request that has been done: the game that it changed, at the version right after it."""

    fingerprint: bytes
    status: int
    game: GameId
    version: int


REQUESTS_KEPT_FOR = 7 * 24 * 3600
"""Seconds after a game's end for which its requests are remembered."""


class AlreadyDone(Exception):
    """The request has been done; the only argument tells what it did."""

    def __init__(self, remembered: Remembered) -> None:
        super().__init__(remembered)
        self.remembered = remembered


class RequestReused(Exception):
    """Under the same id something else has been asked."""


class VersionConflict(Exception):
    """The log does not end at the expected entry: read it again and decide again."""


class HeadLost(Exception):
    """The entry that a reader continues from is not in the log: read from the start."""


class SuccessorExists(Exception):
    """The game already has a successor, whose id is the only argument."""

    def __init__(self, successor: GameId) -> None:
        super().__init__(successor)
        self.successor = successor


class EventStore(Protocol):
    """Logs of games. Appends are atomic, ordered within a game, and safe to repeat."""

    def read(self, game: GameId, after: Head = NO_ENTRIES) -> Sequence[Recorded]:
        """The entries after `after`, oldest first; none for an unknown game. Raises HeadLost."""
        ...

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
        """Add all entries or none, if the log still ends at `expected`; raises VersionConflict.

        The same `command_id` (8 bytes) sent again is recognised and answered as the first time,
        whatever has been appended since. `due`: when the game must be looked at again (None:
        it waits for nobody). `successor_of` makes the new log and the link to it in one step, or
        raises SuccessorExists; both games are of one shard. `request` is remembered in the same
        step, or raises AlreadyDone, RequestReused, and nothing is added. `is_last`: the game is
        over, so its requests are remembered for seven more days.
        """
        ...

    def check(self, request: Request) -> None:
        """Raises AlreadyDone if the request has been done, RequestReused."""
        ...

    def remember(self, request: Request, game: GameId, version: int) -> None:
        """Remember a request that changed nothing; raises AlreadyDone, RequestReused."""
        ...

    def successor(self, game: GameId) -> GameId | None:
        """The game that was made to follow this one, if any."""
        ...

    def now(self) -> int:
        """The store's time, in milliseconds since 1970."""
        ...


def repeated(request: Request, remembered: Remembered) -> AlreadyDone | RequestReused:
    """What a request that has come before is refused with."""
    if remembered.fingerprint != request.fingerprint:
        return RequestReused(request.game)
    return AlreadyDone(remembered)
