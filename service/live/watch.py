"""One listener to a game, and what is handed to it."""

import queue
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

from events.vocabulary import GameId, PlayerId
from service.live.framing import framed, in_a_chunk

MOST_WAITING_FRAMES = 200
"""A reader that is this many frames behind is cut: it resumes where it stopped."""


@dataclass(frozen=True)
class Ready:
    """A frame as it goes out; `version` is its id, `is_last` ends the stream."""

    version: int
    json: bytes
    is_last: bool

    def said(self, *, is_sse: bool) -> bytes:
        """As a stream says it."""
        return framed("event", self.version, self.json, is_sse=is_sse)

    @cached_property
    def chunk_of_sse(self) -> bytes:
        """As it is written to the connections of server-sent events: the same bytes for all."""
        return in_a_chunk(self.said(is_sse=True))

    @cached_property
    def chunk_of_ndjson(self) -> bytes:
        """The same for lines of JSON."""
        return in_a_chunk(self.said(is_sse=False))


class Online(NamedTuple):
    """A frame that says which seats listen, as it goes out; it is of no version."""

    json: bytes
    is_last: bool = False

    def said(self, *, is_sse: bool) -> bytes:
        """As a stream says it."""
        return framed("presence", None, self.json, is_sse=is_sse)


class Gone(NamedTuple):
    """No more frames come here: the client should connect again."""

    reason: str


class Connection(Protocol):
    """Where frames can be written while their listener waits (see Wire)."""

    def send(self, frame: Ready) -> bytes:
        """Write as much as goes at once; gives the rest."""

    def go_on(self, rest: bytes) -> None:
        """Write what was left."""


class Watch:
    """One listener: the frames of the versions after `since`, in order, each once.

    `is_over`: the game had ended when the watch began, so that no frame follows. With a
    `connection`, frames are written to it while the listener waits for the next, who then is not
    woken and does not see them.
    """

    def __init__(self, game_id: GameId, viewer: PlayerId | None) -> None:
        self.game_id, self.viewer = game_id, viewer
        self.since, self.is_over = 0, False
        self.asks_who_is_online = False
        self.connection: Connection | None = None
        self._is_waiting, self._rest = False, b""
        self._frames: queue.SimpleQueue[Ready | Online | Gone | None] = queue.SimpleQueue()

    @property
    def about(self) -> Mapping[str, str]:
        """What the stream's own frames name."""
        return {"game": self.game_id}

    def next(self, seconds: float) -> Ready | Online | Gone | None:
        """What comes next, None if nothing does within so long; OSError from the connection."""
        self._is_waiting = True
        try:
            item = self._frames.get(timeout=max(seconds, 0.0))
        except queue.Empty:
            item = None
        finally:
            self._is_waiting = False
        if self._rest and self.connection is not None:
            rest, self._rest = self._rest, b""
            self.connection.go_on(rest)
        return item

    def put(self, item: Ready | Online | Gone) -> bool:
        """Hand the listener a frame, or cut it if it does not keep up; whether it does."""
        if isinstance(item, Ready) and self._is_written(item):
            return True
        if self._frames.qsize() >= MOST_WAITING_FRAMES:
            self._frames = queue.SimpleQueue()
            self._frames.put(Gone("slow"))
            return False
        self._frames.put(item)
        return True

    def _is_written(self, frame: Ready) -> bool:
        """Write a frame if nothing is before it, and let the listener go on with the rest."""
        if self.connection is None or not self._is_waiting or frame.is_last:
            return False
        if not self._frames.empty():
            return False
        self._rest = self.connection.send(frame)
        if self._rest:
            self._frames.put(None)
        return True
