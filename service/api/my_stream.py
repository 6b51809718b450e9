"""All of a player's games as they happen: what to look at, without a card."""

from contextlib import ExitStack
from itertools import islice

import orjson
from flask import Blueprint, Response, request

from events.vocabulary import PlayerId
from service.api.answers import add_names
from service.api.auth import caller_with, token_check
from service.api.invitations import invitations_of, name
from service.api.problems import Problem
from service.api.services import current
from service.api.streaming import (
    Stream,
    first_words,
    is_sse_asked,
    stream_headers,
    take_place,
)
from service.game.state import is_over
from service.live.doorbell import Doorbell, rung
from service.live.framing import framed
from service.projections.inbox import NoticesLost, is_id
from service.projections.lobby import persons_of
from service.projections.summary import Summary, summary_of
from service.table import UNREADABLE

my_stream = Blueprint("my_stream", __name__)
MOST_INVITATIONS = 100
"""The invitations of a snapshot; more are in their list."""


@my_stream.get("/v1/me/stream")
def stream_me() -> Response:
    """A snapshot of the caller's games, then each notice once, in order."""
    who, after, is_sse = caller_with("read"), _after(), is_sse_asked()
    headers = stream_headers(is_sse=is_sse)
    if request.method == "HEAD":
        return Response(iter(()), headers=headers)
    parts = current()
    with ExitStack() as held:
        held.callback(take_place(who))
        ear = parts.bells.hear(who.player)
        held.callback(parts.bells.leave, ear)
        opening, last = _opening(who.player, after, is_sse=is_sse)
        source, close = Doorbell(parts.inbox, ear, last), held.pop_all().close
        stream = Stream(source, opening, token_check(), close, is_sse=is_sse)
    return Response(stream, headers=headers, direct_passthrough=True)


def _after() -> str | None:
    """The last notice that the client has, None without one."""
    last, after = request.headers.get("Last-Event-ID"), request.args.get("after")
    if last is not None and not is_id(last):
        raise Problem("malformed-header", "Last-Event-ID: the id of a frame.")
    if after is not None and not is_id(after):
        raise Problem("malformed-query", "after: the id of a frame.")
    return after if last is None else last


def _opening(player: PlayerId, after: str | None, *, is_sse: bool) -> tuple[list[bytes], str]:
    """What the stream begins with, and the notice up to which that tells everything."""
    made, inbox = first_words(is_sse=is_sse), current().inbox
    if after is not None:
        try:
            notices = inbox.after(player, after)
        except NoticesLost:
            made.append(framed("reset", None, b'{"type":"reset"}', is_sse=is_sse))
        else:
            made += [rung(notice).said(is_sse=is_sse) for notice in notices]
            return made, notices[-1].id if notices else after
    last = inbox.latest(player)  # before the games are read: what follows is told again, not lost
    made.append(framed("snapshot", last, _snapshot(player, last), is_sse=is_sse))
    return made, last


def _snapshot(player: PlayerId, last: str) -> bytes:
    games = _unfinished(player)
    add_names(seat for game in games for seat in game["seats"])
    invited = islice(invitations_of(player), MOST_INVITATIONS)
    invitations = [item for _place, item in invited]
    name(invitations)
    body = {"type": "snapshot", "id": last, "games": games, "invitations": invitations}
    return orjson.dumps(body)


def _unfinished(player: PlayerId) -> list[Summary]:
    """The player's games that have not ended, as their logs have them, newest first."""
    found = []
    for game in current().lobby.unfinished_of(player):
        try:
            position = current().table.look(game)
        except UNREADABLE:
            continue
        if player in persons_of(position.game) and not is_over(position.game):
            found.append(position)
    found.sort(key=lambda position: position.created_at, reverse=True)
    return [summary_of(position) for position in found]
