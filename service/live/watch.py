"""One listener to a game, and what is handed to it."""

import queue
from typing import NamedTuple

from events.vocabulary import GameId, PlayerId

MOST_WAITING_FRAMES = 200
"""A reader that is this many frames behind is cut: it resumes where it stopped."""


class Ready(NamedTuple):
    """A frame as it goes out; `version` is its id, `is_last` ends the stream."""

    version: int
    json: bytes
    is_last: bool


class Online(NamedTuple):
    """A frame that says which seats listen, as it goes out; it is of no version."""

    json: bytes


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
        self.asks_who_is_online = False
        self._frames: queue.SimpleQueue[Ready | Online | Gone] = queue.SimpleQueue()

    def next(self, seconds: float) -> Ready | Online | Gone | None:
        """What comes next, None if nothing does within so long."""
        try:
            return self._frames.get(timeout=max(seconds, 0.0))
        except queue.Empty:
            return None

    def put(self, item: Ready | Online | Gone) -> bool:
        """Hand the listener a frame, or cut it if it does not keep up; whether it does."""
        if self._frames.qsize() >= MOST_WAITING_FRAMES:
            self._frames = queue.SimpleQueue()
            self._frames.put(Gone("slow"))
            return False
        self._frames.put(item)
        return True
