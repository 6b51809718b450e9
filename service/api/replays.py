"""What happened: events as a page, whole games, and views at any version."""

from typing import Any

from flask import Blueprint, Response, request

from events.vocabulary import Seat
from service.api.answers import (
    HIGHEST_VERSION,
    PRIVATE,
    add_names,
    is_spectating,
    json_response,
    known_id,
    number_asked,
    seat_asked,
    view_response,
    viewer_of,
)
from service.api.auth import reader
from service.api.games import MOST_ON_A_PAGE
from service.api.problems import RETRY_AFTER, Problem
from service.api.services import current
from service.api.waiting import LONGEST_WAIT, wait_past
from service.game.position import Position, fold
from service.game.state import is_over
from service.live.places import NoPlace, TooMany
from service.players.accounts import Caller
from service.views.event_view import frames
from service.views.open_view import open_view
from service.views.replay_view import replay
from service.views.seat_view import seat_seen_by

replays = Blueprint("replays", __name__)
ENDED = {"Cache-Control": "private, max-age=60", "Vary": "Authorization, Accept"}


@replays.get("/v1/games/<game_id>/events")
def get_events(game_id: str) -> Response:
    """The versions after one, as frames."""
    viewer, known = viewer_of(reader()), known_id(game_id)
    after = number_asked("after", 0, 0, HIGHEST_VERSION)
    limit = number_asked("limit", MOST_ON_A_PAGE, 1, MOST_ON_A_PAGE)
    if seconds := number_asked("wait", 0, 0, LONGEST_WAIT):
        try:
            wait_past(known, after, seconds)
        except (NoPlace, TooMany):
            raise Problem("too-many-waiting", headers=RETRY_AFTER) from None
    log = current().table.log(known)
    items = frames(known, log, viewer, min(after, len(log)), limit)
    reached = items[-1]["version"] if items else after
    following = str(reached) if reached < len(log) else None
    return json_response({"items": items, "next": following, "version": len(log)})


@replays.get("/v1/games/<game_id>/replay")
def get_replay(game_id: str) -> Response:
    """The whole game: all of it once it has ended, else what the caller may know."""
    who, known = reader(), known_id(game_id)
    log = current().table.log(known)
    position = fold(known, log)
    assert position is not None  # noqa: S101  (a known game has entries)
    seat = seat_asked(position.game.setup.players)
    if seat is not None:
        _allow(position, position, seat, who)
    whole: dict[str, Any] = {**replay(log, position, viewer_of(who), seat)}
    add_names(whole["seats"])
    return json_response(whole, headers=ENDED if is_over(position.game) else PRIVATE)


@replays.get("/v1/games/<game_id>/replay/<int:version>")
def get_replay_at(game_id: str, version: int) -> Response:
    """The view at any version of an ended game; of a running one, the caller's own."""
    who, known = reader(), known_id(game_id)
    position = current().table.look_at(known, version)
    now = current().table.look(known)
    seat = seat_asked(position.game.setup.players)
    if seat is not None:
        _allow(now, position, seat, who)
        return view_response(position, seat)
    if is_over(now.game):
        whole: dict[str, Any] = {**open_view(position)}
        add_names(whole["seats"])
        return json_response(whole, headers=ENDED)
    own = None if "seat" in request.args else seat_seen_by(position.game, viewer_of(who))
    if own is None:
        raise Problem("hidden-until-finished")
    return view_response(position, own)


def _allow(now: Position, then: Position, seat: Seat, who: Caller | None) -> None:
    if is_over(now.game):
        return
    if is_spectating() or who is None or seat_seen_by(then.game, who.player) != seat:
        raise Problem("hidden-until-finished", f"You did not look through seat {seat} then.")
