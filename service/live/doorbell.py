"""A player's notices as a stream tells them: one after another, each its own frame."""

import logging
from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson
from redis.exceptions import RedisError

from service.live.bells import Ear
from service.live.framing import framed
from service.live.watch import Gone
from service.projections.inbox import Inbox, Kept, NoticesLost
from service.views.canonical import rfc3339

_log = logging.getLogger(__name__)


class Rung(NamedTuple):
    """A notice as it goes out."""

    id: str
    json: bytes
    is_last: bool = False

    def said(self, *, is_sse: bool) -> bytes:
        """As a stream says it."""
        return framed("event", self.id, self.json, is_sse=is_sse)


class Doorbell:
    """The notices that a player gets after one of them, in order, each once.

    It waits for the player's bell, and looks by itself now and then in case a ring was lost.
    """

    is_over = False
    about: Mapping[str, str] = {}

    def __init__(self, inbox: Inbox, ear: Ear, after: str) -> None:
        self._inbox, self._ear, self._after = inbox, ear, after
        self._waiting: deque[Rung] = deque()
        self._is_behind = False

    def next(self, seconds: float) -> Rung | Gone | None:
        """What comes next, None if nothing does within so long."""
        if not self._waiting:
            self._is_behind |= self._ear.wait(seconds)
        if self._ear.is_dismissed:
            return Gone("closing")
        if not self._waiting and self._is_behind:
            try:
                self._read()
            except NoticesLost:
                return Gone("reset")
            except RedisError as fault:  # it is still behind
                _log.warning("doorbell: %s", type(fault).__name__)
        return self._waiting.popleft() if self._waiting else None

    def _read(self) -> None:
        """Take what has come; a ring that comes meanwhile is heard by the next wait."""
        notices = self._inbox.after(self._ear.player, self._after)
        self._is_behind = False
        for notice in notices:
            self._waiting.append(rung(notice))
            self._after = notice.id


def rung(notice: Kept) -> Rung:
    """A notice as a frame."""
    return Rung(notice.id, orjson.dumps(notice_shape(notice)))


def notice_shape(notice: Kept) -> dict[str, Any]:
    """A notice as its player sees it."""
    return {
        "type": "event",
        "id": notice.id,
        "at": rfc3339(notice.at),
        "topic": notice.topic,
        "game": notice.game,
        "version": notice.version,
        "seat": notice.seat,
    }
