"""Seats that are kept for the caller."""

from collections.abc import Iterator
from typing import Any

from flask import Blueprint, Response, request

from events.vocabulary import PlayerId
from service.api.answers import add_names, json_response, number_asked
from service.api.auth import caller_with
from service.api.games import MOST_ON_A_PAGE
from service.api.problems import Problem
from service.api.services import current
from service.game.position import Position
from service.projections.cursors import CursorMalformed, Place, closed, opened
from service.projections.notices import kept_seats
from service.projections.summary import summary_of
from service.table import UNREADABLE
from service.views.canonical import rfc3339

invitations = Blueprint("invitations", __name__)


@invitations.get("/v1/me/invitations")
def list_invitations() -> Response:
    """Games that keep a seat for the caller, the latest first."""
    who = caller_with("read")
    limit = number_asked("limit", 20, 1, MOST_ON_A_PAGE)
    try:
        before = opened(request.args.get("cursor"))
    except CursorMalformed:
        raise Problem("malformed-query", "cursor: one that a page gave out.") from None
    shown: list[tuple[Place, dict[str, Any]]] = []
    for place, item in invitations_of(who.player, before):
        if len(shown) == limit:
            return _page(shown, closed(shown[-1][0]))
        shown.append((place, item))
    return _page(shown, None)


def _page(shown: list[tuple[Place, dict[str, Any]]], next_: str | None) -> Response:
    items = [item for _place, item in shown]
    name(items)
    return json_response({"items": items, "next": next_})


def invitations_of(
    player: PlayerId, before: Place | None = None
) -> Iterator[tuple[Place, dict[str, Any]]]:
    """A player's invitations, each as it is shown, but for names; and its place in the list."""
    now = current().table.now()
    for place in current().inbox.invitations(player):
        if place.at <= now or (before is not None and place >= before):
            continue
        try:
            position = current().table.look(place.game)
        except UNREADABLE:
            continue
        item = _shape(position, player, now)
        if item is not None:
            yield place, item


def name(items: list[dict[str, Any]]) -> None:
    """Put today's names to invitations."""
    add_names({"player": item["by"]} for item in items)
    add_names(seat for item in items for seat in item["summary"]["seats"])


def _shape(position: Position, player: PlayerId, now: int) -> dict[str, Any] | None:
    """The invitation as the game's log has it, None if it is over."""
    kept = [
        (seat, until)
        for seat, invited, until in kept_seats(position.game)
        if invited == player and until > now
    ]
    if not kept:
        return None
    return {
        "game": position.id,
        "version": position.version,
        "seats": [seat for seat, _until in kept],
        "by": {"id": position.game.setup.creator},
        "until": rfc3339(max(until for _seat, until in kept)),
        "rematch_of": position.game.setup.rematch_of,
        "summary": summary_of(position),
    }
