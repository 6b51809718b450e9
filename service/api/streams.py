"""A game as it happens: server-sent events or lines of JSON, resumed from any version."""

import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any, NamedTuple, Protocol

import orjson
from flask import Blueprint, Response, request
from redis.exceptions import RedisError

from service.api.answers import (
    HIGHEST_VERSION,
    PRIVATE,
    known_id,
    named_view,
    number_asked,
    viewer_of,
)
from service.api.auth import reader, token_check
from service.api.problems import RETRY_AFTER, Problem
from service.api.services import current
from service.live.framing import framed
from service.live.hub import Hub
from service.live.places import NoPlace, TooMany
from service.live.presence import Presence
from service.live.watch import Gone, Online, Watch
from service.live.wire import wire_of
from service.players.accounts import Caller
from service.views.canonical import rfc3339
from service.views.event_view import frames
from service.views.seat_view import seat_seen_by

streams = Blueprint("streams", __name__)
KEEP_ALIVE = 5.0
"""Seconds between signs of life; each time the token is looked at again."""

RETRY = 1000
"""Milliseconds that a client waits before it connects again."""

SSE, NDJSON = "text/event-stream", "application/x-ndjson"
STREAMED = {**PRIVATE, "X-Accel-Buffering": "no"}
_VERSION = re.compile(r"\d{1,9}", re.ASCII)


@streams.get("/v1/games/<game_id>/stream")
def stream_game(game_id: str) -> Response:
    """A snapshot, then each version once, in order, until the game has ended."""
    who, known = reader(), known_id(game_id)
    viewer, asked, is_sse = viewer_of(who), _asked(), is_sse_asked()
    has_end = request.headers.get("Last-Event-ID") == "end"
    if has_end or request.method == "HEAD":
        current().table.look(known)
    if has_end:
        return Response(status=204, headers=STREAMED)
    headers = stream_headers(is_sse=is_sse)
    if request.method == "HEAD":
        return Response(iter(()), headers=headers)
    with ExitStack() as held:
        held.callback(take_place(who))
        watch = current().hub.watch(known, viewer, asked.after or 0)
        held.callback(current().hub.leave, watch)
        watch.connection = wire_of(request.environ, is_sse=is_sse)
        mark = Mark(current().presence, current().hub, watch)
        held.callback(mark.remove)
        mark.renew()
        opening, check = _opening(watch, asked, is_sse=is_sse), token_check()
        stream = Stream(watch, opening, check, mark, held.pop_all().close, is_sse=is_sse)
    return Response(stream, headers=headers)


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


class Mark:
    """That the player of a seat listens, while this stream does; a spectator leaves no mark."""

    def __init__(self, presence: Presence, hub: Hub, watch: Watch) -> None:
        self._presence, self._hub, self._watch = presence, hub, watch
        self._stream, self._is_left = secrets.token_urlsafe(6), False

    def renew(self) -> None:
        """Once more for a while, if a seat's player listens and the game goes on."""
        player = self._watch.viewer
        if player is not None and not self._watch.is_over and self._hub.is_seated(self._watch):
            with suppress(RedisError):  # it is renewed again, and meanwhile nobody is told
                self._presence.mark(self._watch.game_id, player, self._stream)
                self._is_left = True

    def remove(self) -> None:
        """At once, or when it expires if the store is away."""
        if self._watch.viewer is not None and self._is_left:
            with suppress(RedisError):
                self._presence.unmark(self._watch.game_id, self._watch.viewer, self._stream)


class Asked(NamedTuple):
    """What a stream is to begin with: after which version, and with a snapshot, who is online."""

    after: int | None
    snapshot: bool
    presence: bool


def _asked() -> Asked:
    return Asked(_after(), _flag("snapshot"), _flag("presence"))


def _flag(name: str) -> bool:
    asked = request.args.get(name)
    if asked not in (None, "true", "false"):
        raise Problem("malformed-query", f"{name}: true or false.")
    return asked == "true"


def is_sse_asked() -> bool:
    """Server-sent events, unless lines of JSON are liked better."""
    asked = request.accept_mimetypes
    return not asked or asked[SSE] >= asked[NDJSON]


def _after() -> int | None:
    asked = request.headers.get("Last-Event-ID")
    after = number_asked("after", 0, 0, HIGHEST_VERSION)
    if asked is None:
        return after if "after" in request.args else None
    if asked == "end":
        return None
    if not _VERSION.fullmatch(asked):
        raise Problem("malformed-header", "Last-Event-ID: the id of a frame.")
    return int(asked)


def _opening(watch: Watch, asked: Asked, *, is_sse: bool) -> list[bytes]:
    """What a stream begins with: up to the version at which the watch began."""
    made = [b"retry: %d\n\n" % RETRY] if is_sse else []
    if asked.presence:
        online = current().hub.ask_who_is_online(watch)
        made.append(framed("presence", None, online.json, is_sse=is_sse))
    after = asked.after
    is_ahead = after is not None and after > watch.since
    if is_ahead:
        body = {"type": "reset", "game": watch.game_id, "version": watch.since}
        made.append(framed("reset", watch.since, orjson.dumps(body), is_sse=is_sse))
    start = watch.since if after is None or is_ahead else after
    if after is None or is_ahead or asked.snapshot:
        start = max(start, 1)
        made.append(framed("snapshot", start, _snapshot(watch, start), is_sse=is_sse))
    if start < watch.since:
        log = current().table.log(watch.game_id)
        for each in frames(watch.game_id, log, watch.viewer, start, watch.since - start):
            made.append(framed("event", each["version"], orjson.dumps(each), is_sse=is_sse))
    return made


def _snapshot(watch: Watch, version: int) -> bytes:
    position = current().table.look_at(watch.game_id, version)
    view = named_view(position, seat_seen_by(position.game, watch.viewer))
    body = {"type": "snapshot", "game": watch.game_id, "version": version, "view": view}
    return orjson.dumps(body)


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

    def next(self, seconds: float) -> Spoken | Online | Gone | None:
        """What comes next, None if nothing does within so long."""


class Stream:
    """The body of one streamed answer; `close` gives all back that it holds."""

    def __init__(
        self,
        source: Source,
        opening: list[bytes],
        is_token_good: Callable[[], bool],
        mark: Mark | None,
        leave: Callable[[], None],
        *,
        is_sse: bool,
    ) -> None:
        self._source, self._is_sse = source, is_sse
        self._is_token_good, self._mark, self.close = is_token_good, mark, leave
        self._chunks = self._all(opening)

    def __iter__(self) -> Iterator[bytes]:
        return self._chunks

    def _all(self, opening: list[bytes]) -> Iterator[bytes]:
        yield b"".join(opening)
        if self._source.is_over:
            yield self._last("end", "end", {})
            return
        due = time.monotonic() + KEEP_ALIVE
        while True:
            item = self._source.next(due - time.monotonic())
            if isinstance(item, Gone):
                yield self._last("reconnect", None, {"reason": item.reason, "retry": RETRY})
                return
            if isinstance(item, Online):
                yield framed("presence", None, item.json, is_sse=self._is_sse)
            elif item is not None:
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
                if self._mark is not None:
                    self._mark.renew()

    def _last(self, kind: str, id_: str | None, more: dict[str, Any]) -> bytes:
        body = orjson.dumps({"type": kind, **self._source.about, **more})
        return framed(kind, id_, body, is_sse=self._is_sse)

    def _ping(self) -> bytes:
        at = rfc3339(int(time.time() * 1000))
        if self._is_sse:
            return f": {at}\n\n".encode()
        return orjson.dumps({"type": "ping", "at": at}) + b"\n"
