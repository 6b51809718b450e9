"""A game as it happens: server-sent events or lines of JSON, resumed from any version."""

import re
import secrets
from contextlib import ExitStack, suppress
from typing import NamedTuple

import orjson
from flask import Blueprint, Response, request
from redis.exceptions import RedisError

from service.api.answers import (
    HIGHEST_VERSION,
    known_id,
    named_view,
    number_asked,
    viewer_of,
)
from service.api.auth import reader, token_check
from service.api.problems import Problem
from service.api.services import current
from service.api.streaming import (
    STREAMED,
    Stream,
    first_words,
    is_sse_asked,
    stream_headers,
    take_place,
)
from service.live.framing import framed
from service.live.hub import Hub
from service.live.presence import Presence
from service.live.watch import Watch
from service.live.wire import wire_of
from service.views.event_view import frames
from service.views.seat_view import seat_seen_by

streams = Blueprint("streams", __name__)
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
        stream = Stream(watch, opening, check, held.pop_all().close, mark.renew, is_sse=is_sse)
    return Response(stream, headers=headers, direct_passthrough=True)


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
    made = first_words(is_sse=is_sse)
    if asked.presence:
        online = current().hub.ask_who_is_online(watch)
        made.append(online.said(is_sse=is_sse))
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
