"""Turns that wait for the caller in any game: all of them, or those that have begun since."""

import time
from typing import Any, NamedTuple

from flask import Blueprint, Response, request

from events.vocabulary import PlayerId
from service.api.answers import add_names, json_response, number_asked
from service.api.auth import caller_with
from service.api.problems import RETRY_AFTER, Problem
from service.api.services import current
from service.api.waiting import LONGEST_WAIT, check_token_again, waiting_place
from service.live.places import NoPlace, TooMany
from service.projections.inbox import NOTHING, Turn, is_id, order
from service.projections.notices import on_turn
from service.table import UNREADABLE
from service.views.seat_view import seat_view

turns = Blueprint("turns", __name__)


class TurnPage(NamedTuple):
    """Turns by deadline, and the cursor after which the next ones begin."""

    items: list[dict[str, Any]]
    cursor: str


@turns.get("/v1/me/turns")
def list_turns() -> Response:
    """All turns that wait for the caller; with a cursor, those begun since, perhaps later."""
    who, after = caller_with("read"), request.args.get("after")
    seconds = number_asked("wait", 0, 0, LONGEST_WAIT)
    if after is None:
        page = _turns(who.player, NOTHING)
    elif is_id(after):
        try:
            page = _turns_begun(who.player, after, seconds)
        except (NoPlace, TooMany):
            raise Problem("too-many-waiting", headers=RETRY_AFTER) from None
    else:
        raise Problem("malformed-query", "after: the cursor of an earlier answer.")
    return json_response(page._asdict())


def _turns_begun(player: PlayerId, after: str, seconds: int) -> TurnPage:
    """Turns begun since a cursor: at once if there are any, else when one begins, or none."""
    bells, until = current().bells, time.monotonic() + seconds
    page = _turns(player, after)
    if page.items or not seconds:
        return page
    with waiting_place():
        ear = bells.hear(player)
        try:
            while True:
                page, left = _turns(player, after), until - time.monotonic()
                if page.items or left <= 0 or ear.is_dismissed:
                    check_token_again()
                    return page
                ear.wait(left)
        finally:
            bells.leave(ear)


def _turns(player: PlayerId, after: str) -> TurnPage:
    kept, cursor = current().inbox.turns(player)
    if order(after) > order(cursor):  # the inbox was made anew since
        after = NOTHING
    begun = sorted((turn for turn in kept if order(turn.begun) > order(after)), key=_begun)
    found = [item for turn in begun if (item := _item(turn, player)) is not None]
    add_names(seat for item in found for seat in item["view"]["seats"])
    return TurnPage(sorted(found, key=_deadline), cursor)


def _item(turn: Turn, player: PlayerId) -> dict[str, Any] | None:
    """The turn as its game's log has it, None if it is over or the log cannot be read."""
    try:
        position = current().table.look(turn.game)
    except UNREADABLE:
        return None
    seat = on_turn(position.game).get(player)
    if seat is None:
        return None
    view: dict[str, Any] = {**seat_view(position, seat)}
    return {
        "game": position.id,
        "version": position.version,
        "seat": seat,
        "deadline": view["turn"]["deadline"],
        "view": view,
    }


def _begun(turn: Turn) -> tuple[int, int]:
    return order(turn.begun)


def _deadline(item: dict[str, Any]) -> tuple[bool, str]:
    """Turns without a deadline come last; times of one form sort as text."""
    return item["deadline"] is None, item["deadline"] or ""
