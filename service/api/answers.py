"""Positions as answers: the viewer's own view, with today's names, an ETag and its headers."""

import re
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import orjson
from flask import Response, request

from events.vocabulary import GameId, PlayerId, Seat
from service.api.problems import Problem
from service.api.services import current
from service.game.position import Position
from service.game.state import Finished
from service.players.accounts import Caller
from service.views.seat_view import seat_seen_by, seat_view

GAME_ID = re.compile(r"g_[0-9a-f][A-Za-z0-9_-]{6,40}")
_VERSION = re.compile(r'(?:W/)?"(\d{1,9})(?:-[0-9a-f]+)?"|(\d{1,9})', re.ASCII)
HIGHEST_VERSION = 10**9 - 1
"""That a request may name."""

PRIVATE = {"Cache-Control": "private, no-cache", "Vary": "Authorization, Accept"}


def known_id(game_id: str) -> GameId:
    """The id of a game, if it can be one; else a Problem."""
    if not GAME_ID.fullmatch(game_id):
        raise Problem("game-unknown")
    return GameId(game_id)


def is_spectating() -> bool:
    """Whether a seated player asks for the spectator's view."""
    asked = request.args.get("as")
    if asked not in (None, "spectator"):
        raise Problem("malformed-query", "as: only spectator.")
    return asked == "spectator"


def viewer_of(who: Caller | None) -> PlayerId | None:
    """Through whose eyes the caller looks; None is a spectator's."""
    return None if is_spectating() or who is None else who.player


def json_response(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A JSON answer that only its caller may keep."""
    response = Response(orjson.dumps(body), status=status, content_type="application/json")
    response.headers.update(headers or PRIVATE)
    return response


def view_response(
    position: Position, seat: Seat | None, status: int = 200, location: str | None = None
) -> Response:
    """A seat's view (None: a spectator's) with its ETag; 304 if the caller has it."""
    body = orjson.dumps(named_view(position, seat))
    headers = {**PRIVATE, "ETag": f'"{position.version}-{sha256(body).hexdigest()[:8]}"'}
    if location is not None:
        headers["Location"] = location
    if _is_known(headers["ETag"], position.version):
        return Response(status=304, headers=headers)
    return Response(body, status=status, headers=headers, content_type="application/json")


def named_view(position: Position, seat: Seat | None) -> dict[str, Any]:
    """A seat's view (None: a spectator's) with what is not in the log: names, the rematch."""
    view: dict[str, Any] = {**seat_view(position, seat)}
    add_names(view["seats"])
    if isinstance(position.game, Finished):
        view["rematch"] = current().table.successor(position.id)
    return view


def own_view(position: Position, who: Caller, status: int = 200) -> Response:
    """The caller's view after what they did."""
    return view_response(position, seat_seen_by(position.game, who.player), status)


def add_names(seats: Iterable[dict[str, Any]]) -> None:
    """Put today's names and bot marks to the players of seats."""
    shown = [seat["player"] for seat in seats if seat["player"]]
    accounts = current().players.accounts(player["id"] for player in shown)
    for player in shown:
        account = accounts.get(player["id"])
        player["name"] = account.name if account else "Deleted player"
        player["bot"] = account.is_bot if account else False


def _is_known(etag: str, version: int) -> bool:
    asked = request.headers.get("If-None-Match")
    if asked is None or request.method not in ("GET", "HEAD"):
        return False
    tags = [tag.strip().removeprefix("W/") for tag in asked.split(",")]
    return etag in tags or f'"{version}"' in tags or str(version) in tags or "*" in tags


def version_asked() -> int | None:
    """The version of If-Match, None without one; raises a Problem if it is none."""
    asked = request.headers.get("If-Match")
    if asked is None or asked.strip() == "*":
        return None
    match = _VERSION.fullmatch(asked.strip())
    if match is None:
        raise Problem("malformed-header", 'If-Match: a version, such as "57".')
    return int(match[1] or match[2])


def number_asked(name: str, default: int, lowest: int, highest: int) -> int:
    """A whole number of the query; raises a Problem if it is none or out of range."""
    text = request.args.get(name)
    if text is None:
        return default
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII) or not lowest <= int(text) <= highest:
        raise Problem("malformed-query", f"{name}: a whole number from {lowest} to {highest}.")
    return int(text)


def seat_asked(players: int) -> Seat | None:
    """The seat of the query, None for all of them."""
    if request.args.get("seat") in (None, "all"):
        return None
    return Seat(number_asked("seat", 0, 0, players - 1))
