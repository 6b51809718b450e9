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
COMMAND_ID_BYTES = 8


class Appended(NamedTuple):
    """Where an append ended: the log's version right after it, and its time in milliseconds."""

    version: int
    at: int


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
        due_in: int | None = None,
        successor_of: GameId | None = None,
    ) -> Appended:
        """Add all entries or none, if the log still ends at `expected`; raises VersionConflict.

        The same `command_id` (8 bytes) sent again is recognised and answered as the first time,
        whatever has been appended since. `due_in`: milliseconds until the game must be looked at
        again (None: it waits for nobody). `successor_of` makes the new log and the link to it in
        one step, or raises SuccessorExists; both games are of one shard.
        """
        ...

    def successor(self, game: GameId) -> GameId | None:
        """The game that was made to follow this one, if any."""
        ...

    def now(self) -> int:
        """The store's time, in milliseconds since 1970."""
        ...
