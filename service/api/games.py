"""Games: create, list, look at, start, abort, rematch."""

from typing import Any, get_args

from flask import Blueprint, Response, request

from events.catalogue import Clock
from events.vocabulary import BotLevel, PlayerId
from service.api.answers import (
    HIGHEST_VERSION,
    PRIVATE,
    add_names,
    json_response,
    known_id,
    number_asked,
    own_view,
    view_response,
    viewer_of,
)
from service.api.auth import caller_with, reader
from service.api.bodies import request_json
from service.api.idempotency import done_before_refused, request_for_new_game, request_in
from service.api.problems import Problem, refused
from service.api.schemas import NEW_GAME, NOTHING, PLAYER_ID, loaded
from service.api.services import current
from service.game.commands import AbortGame, CreateGame, SeatWish, StartGame
from service.game.position import Position, fold
from service.game.refusals import Refusal
from service.players.accounts import Caller
from service.projections.cursors import CursorMalformed
from service.projections.lobby import Wanted
from service.views.replay_view import rounds
from service.views.seat_view import seat_seen_by
from service.views.shapes import Status

games = Blueprint("games", __name__)
STATUSES = get_args(Status)
MOST_ON_A_PAGE = 100
DAY = 24 * 3600
MOST_UNFINISHED = 200
"""Games that have not ended, of a player who makes another."""


@games.post("/v1/games")
def create_game() -> Response:
    """A new game; with `{"players": 4}` it is playable at once."""
    who = caller_with("play")
    asked = request_for_new_game(who)
    with done_before_refused(asked):
        made = accepted(current().table.create(_new_game(who), asked))
    seat = seat_seen_by(made.game, who.player)
    return view_response(made, seat, 201, location=f"/v1/games/{made.id}")


def _new_game(who: Caller) -> CreateGame:
    body = loaded(NEW_GAME, request_json())
    if current().lobby.unfinished(who.player) >= MOST_UNFINISHED:
        raise Problem("too-many-open-games")
    return CreateGame(
        creator=who.player,
        players=body["players"],
        seats=_wishes(body),
        rules=body.get("rules", {}),
        visibility=body.get("visibility", "unlisted"),
        start=body.get("start", "auto"),
        hints=body.get("hints", False),
        allow_bots=body.get("allow_bots", True),
        creator_is_bot=who.is_bot,
        now=current().table.now(),
        clock=_clock(body.get("clock")),
        expires_in=current().settings.expires_days * DAY,
    )


def _clock(asked: dict[str, Any] | None) -> Clock | None:
    return None if asked is None else Clock(**asked)


def _wishes(body: dict[str, Any]) -> tuple[SeatWish, ...]:
    asked = body.get("seats")
    if asked is None:
        bots = (SeatWish("bot", BotLevel.CLUB),) * (body["players"] - 1)
        return (SeatWish("me"), *bots)
    invited = {seat["player"] for seat in asked if "player" in seat}
    if invited - current().players.accounts(invited).keys():
        raise Problem("seats-invalid", "An invited player does not exist.")
    return tuple(SeatWish(seat["kind"], seat.get("level"), seat.get("player")) for seat in asked)


def accepted(outcome: Position | Refusal) -> Position:
    """The position, or the refusal as a Problem."""
    if isinstance(outcome, Refusal):
        raise refused(outcome)
    return outcome


@games.get("/v1/games")
def list_games() -> Response:
    """Summaries of games, newest first; unlisted ones only for their own players."""
    who = reader()
    limit = number_asked("limit", 20, 1, MOST_ON_A_PAGE)
    viewer = who.player if who else None
    try:
        page = current().lobby.page(_wanted(viewer), viewer, limit, request.args.get("cursor"))
    except CursorMalformed:
        raise Problem("malformed-query", "cursor: one that a page gave out.") from None
    for item in page.items:
        add_names(item["seats"])
    return json_response({"items": page.items, "next": page.next})


def _wanted(viewer: PlayerId | None) -> Wanted:
    status, player = request.args.get("status"), request.args.get("player")
    if status is not None and status not in STATUSES:
        raise Problem("malformed-query", f"status: one of {', '.join(STATUSES)}.")
    if player == "me":
        player = _viewer_needed("player=me", viewer)
    if player is not None and not PLAYER_ID.fullmatch(player):
        raise Problem("malformed-query", "player: the id of a player.")
    needs_me = _flag("needs_me") or False
    if needs_me:
        _viewer_needed("needs_me", viewer)
    return Wanted(
        status=status,
        players=number_asked("players", 0, 2, 4) or None,
        clock=_flag("clock"),
        has_open_seat=_flag("has_open_seat"),
        player=PlayerId(player) if player else None,
        needs_me=needs_me,
    )


def _viewer_needed(asked: str, viewer: PlayerId | None) -> PlayerId:
    if viewer is None:
        raise Problem("token-missing", f"{asked} is about whoever the token speaks for.")
    return viewer


def _flag(name: str) -> bool | None:
    text = request.args.get(name)
    if text not in (None, "true", "false"):
        raise Problem("malformed-query", f"{name}: true or false.")
    return None if text is None else text == "true"


@games.get("/v1/games/<game_id>")
def get_game(game_id: str) -> Response:
    """The caller's view of a game, now or as it was at a version."""
    viewer = viewer_of(reader())
    return view_of(game_id, viewer)


def view_of(game_id: str, viewer: PlayerId | None) -> Response:
    """A viewer's view, at the version of the query or now."""
    known, table = known_id(game_id), current().table
    if "version" in request.args:
        position = table.look_at(known, number_asked("version", 0, 1, HIGHEST_VERSION))
    else:
        position = table.look(known)
    return view_response(position, seat_seen_by(position.game, viewer))


@games.get("/v1/games/<game_id>/rounds")
def get_rounds(game_id: str) -> Response:
    """All rounds of a game, with the hands that the caller may know."""
    viewer, known = viewer_of(reader()), known_id(game_id)
    log = current().table.log(known)
    position = fold(known, log)
    assert position is not None  # noqa: S101  (a known game has entries)
    return json_response({"items": rounds(log, position, viewer)}, headers=PRIVATE)


@games.post("/v1/games/<game_id>/start")
def start_game(game_id: str) -> Response:
    """Begin a game whose start is manual."""
    return _done(game_id, StartGame)


@games.post("/v1/games/<game_id>/abort")
def abort_game(game_id: str) -> Response:
    """End a game before the first call of round 1."""
    return _done(game_id, AbortGame)


def _done(game_id: str, command: type[StartGame | AbortGame]) -> Response:
    who, known = caller_with("play"), known_id(game_id)
    asked = request_in(known, who)
    with done_before_refused(asked):
        loaded(NOTHING, request_json(is_optional=True))
        done = accepted(current().table.act(known, command(who.player), request=asked))
    return own_view(done, who)


@games.post("/v1/games/<game_id>/rematch")
def rematch(game_id: str) -> Response:
    """The same table again: the first press makes it, later ones sit down."""
    who, known = caller_with("play"), known_id(game_id)
    asked = request_in(known, who, 201)
    with done_before_refused(asked):
        loaded(NOTHING, request_json(is_optional=True))
        outcome = current().table.rematch(known, who.player, is_bot=who.is_bot, request=asked)
        if isinstance(outcome, Refusal):
            raise refused(outcome)
    position, is_new = outcome
    seat = seat_seen_by(position.game, who.player)
    location = f"/v1/games/{position.id}"
    return view_response(position, seat, 201 if is_new else 200, location)
