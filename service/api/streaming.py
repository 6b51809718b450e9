"""What every stream is made of, whatever it tells: a place, signs of life, a last frame."""

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Protocol

import orjson
from flask import request

from service.api.answers import PRIVATE
from service.api.problems import RETRY_AFTER, Problem
from service.api.services import current
from service.live.framing import framed
from service.live.places import NoPlace, TooMany
from service.live.watch import Gone
from service.players.accounts import Caller
from service.views.canonical import rfc3339

KEEP_ALIVE = 5.0
"""Seconds between signs of life; each time the token is looked at again."""

RETRY = 1000
"""Milliseconds that a client waits before it connects again."""

SSE, NDJSON = "text/event-stream", "application/x-ndjson"
STREAMED = {**PRIVATE, "X-Accel-Buffering": "no"}


def is_sse_asked() -> bool:
    """Server-sent events, unless lines of JSON are liked better."""
    asked = request.accept_mimetypes
    return not asked or asked[SSE] >= asked[NDJSON]


def stream_headers(*, is_sse: bool) -> dict[str, str]:
    """The headers of a streamed answer."""
    return {**STREAMED, "Content-Type": SSE if is_sse else NDJSON}


def take_place(who: Caller | None) -> Callable[[], None]:
    """Take a place for a stream; gives what frees it."""
    places, name = current().stream_places, who.token_id if who else None
    try:
        places.take(name)
    except TooMany:
        raise Problem("too-many-streams", headers=RETRY_AFTER) from None
    except NoPlace:
        raise Problem("streams-full", headers=RETRY_AFTER) from None
    return partial(places.leave, name)


def first_words(*, is_sse: bool) -> list[bytes]:
    """What a stream says before its frames."""
    return [b"retry: %d\n\n" % RETRY] if is_sse else []


class Spoken(Protocol):
    """A frame as it goes out."""

    @property
    def is_last(self) -> bool:
        """Whether the stream ends with it."""

    def said(self, *, is_sse: bool) -> bytes:
        """As a stream says it."""


class Source(Protocol):
    """What a stream tells: a game's versions, or a player's notices."""

    is_over: bool

    @property
    def about(self) -> Mapping[str, str]:
        """What the stream's own frames name."""

    def next(self, seconds: float) -> Spoken | Gone | None:
        """What comes next, None if nothing does within so long."""


class Stream:
    """The body of one streamed answer; `close` gives all back that it holds.

    `renew` is called at every sign of life.
    """

    def __init__(
        self,
        source: Source,
        opening: list[bytes],
        is_token_good: Callable[[], bool],
        leave: Callable[[], None],
        renew: Callable[[], None] | None = None,
        *,
        is_sse: bool,
    ) -> None:
        self._source, self._is_sse = source, is_sse
        self._is_token_good, self._renew, self.close = is_token_good, renew, leave
        self._chunks = self._all(opening)

    def __iter__(self) -> Iterator[bytes]:
        return self._chunks

    def _all(self, opening: list[bytes]) -> Iterator[bytes]:
        yield b"".join(opening)
        opening.clear()
        if self._source.is_over:
            yield self._last("end", "end", {})
            return
        due = time.monotonic() + KEEP_ALIVE
        while True:
            item = self._source.next(due - time.monotonic())
            if isinstance(item, Gone):
                yield self._last("reconnect", None, {"reason": item.reason, "retry": RETRY})
                return
            if item is not None:
                yield item.said(is_sse=self._is_sse)
                if item.is_last:
                    yield self._last("end", "end", {})
                    return
            if time.monotonic() >= due:
                due = time.monotonic() + KEEP_ALIVE
                if not self._is_token_good():
                    reason = {"reason": "token-invalid", "retry": RETRY}
                    yield self._last("reconnect", None, reason)
                    return
                yield self._ping()
                if self._renew is not None:
                    self._renew()

    def _last(self, kind: str, id_: str | None, more: dict[str, Any]) -> bytes:
        body = orjson.dumps({"type": kind, **self._source.about, **more})
        return framed(kind, id_, body, is_sse=self._is_sse)

    def _ping(self) -> bytes:
        at = rfc3339(int(time.time() * 1000))
        if self._is_sse:
            return f": {at}\n\n".encode()
        return orjson.dumps({"type": "ping", "at": at}) + b"\n"
