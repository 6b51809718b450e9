"""What is kept of a player: all of it for themselves, and an end to it."""

from collections.abc import Iterator
from typing import Any

import orjson
from flask import Blueprint, Response, request, stream_with_context

from events.vocabulary import PlayerId
from service.api.answers import PRIVATE, add_names
from service.api.auth import caller_with
from service.api.players import profile_of
from service.api.problems import Problem
from service.api.services import current
from service.api.tokens import token_shape
from service.api.webhooks import webhook_shape
from service.live.doorbell import notice_shape
from service.players.erasure import Erasures
from service.players.recovery import Recovery
from service.players.tokens import Tokens
from service.views.canonical import rfc3339
from service.webhooks.registry import Webhooks

account = Blueprint("account", __name__)
NOT_KEPT = {"Cache-Control": "no-store", "Vary": PRIVATE["Vary"]}


@account.get("/v1/me/export")
def export_me() -> Response:
    """Everything that is kept of the caller, written while it is read: games may be many."""
    who = caller_with("account")
    chunks = stream_with_context(_chunks(_all_but_games(who.player), who.player))
    return Response(chunks, headers=NOT_KEPT, content_type="application/json")


@account.delete("/v1/me")
def erase_me() -> Response:
    """The end of the caller: nobody speaks for them any more; their seats follow in seconds."""
    who = caller_with("account")
    if request.args.get("confirm") != who.player:
        raise Problem("malformed-query", "confirm: your own player id.")
    parts = current()
    Erasures(parts.client, parts.players).begin(who.player, parts.table.now())
    return Response(status=202, headers=NOT_KEPT)


def _all_but_games(player: PlayerId) -> dict[str, Any]:
    parts = current()
    coded_at = Recovery(parts.client).made_at(player)
    return {
        "exported_at": rfc3339(parts.table.now()),
        "profile": profile_of(player),
        "tokens": [token_shape(info) for info in Tokens(parts.client).infos(player)],
        "recovery_code": None if coded_at is None else {"created_at": rfc3339(coded_at)},
        "notices": [notice_shape(each) for each in parts.inbox.all_of(player)],
        "webhooks": [webhook_shape(each) for each in Webhooks(parts.client).of(player)],
    }


def _chunks(kept: dict[str, Any], player: PlayerId) -> Iterator[bytes]:
    yield orjson.dumps(kept)[:-1] + b',"games":['
    separator = b""
    for summaries in current().lobby.all_of(player):
        add_names(seat for summary in summaries for seat in summary["seats"])
        for summary in summaries:
            yield separator + orjson.dumps(summary)
            separator = b","
    yield b"]}"
