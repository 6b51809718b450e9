"""Seats: take, move, leave, take back, bots, invitations, entropy."""

from flask import Blueprint, Response
from marshmallow import Schema

from events.vocabulary import PlayerId, Seat
from service.api.answers import known_id, own_view
from service.api.auth import caller_with
from service.api.bodies import request_json
from service.api.games import accepted
from service.api.idempotency import done_before_refused, request_in
from service.api.problems import Problem
from service.api.schemas import BOT_SEAT, ENTROPY_BODY, INVITE, SIT, TAKE_SEAT, loaded
from service.api.services import current
from service.game.commands import (
    Command,
    GiveEntropy,
    InvitePlayer,
    LeaveSeat,
    SeatBot,
    TakeSeat,
)
from service.game.founding import INVITED_FOR
from service.players.accounts import Caller

seats = Blueprint("seats", __name__)


@seats.post("/v1/games/<game_id>/seats")
def take_any_seat(game_id: str) -> Response:
    """Sit down at a seat, or at the lowest open one; take one's own seat back."""
    return _take(game_id, TAKE_SEAT)


@seats.post("/v1/games/<game_id>/seats/<int:seat>")
def take_seat(game_id: str, seat: int) -> Response:
    """Sit down at this seat; take one's own seat back."""
    return _take(game_id, SIT, seat)


def _take(game_id: str, schema: Schema, named: int | None = None) -> Response:
    who, known = caller_with("play"), known_id(game_id)
    asked = request_in(known, who)
    with done_before_refused(asked):
        body = loaded(schema, request_json(is_optional=True))
        number = body.get("seat", named)
        seat, now = None if number is None else Seat(number), current().table.now()
        take = TakeSeat(who.player, seat, who.is_bot, now, body.get("entropy"))
        done = accepted(current().table.act(known, take, request=asked))
    return own_view(done, who)


@seats.delete("/v1/games/<game_id>/seats/<int:seat>")
def leave_seat(game_id: str, seat: int) -> Response:
    """Leave a seat, or as its creator empty one of the game."""
    who = caller_with("play")
    return _done(game_id, who, LeaveSeat(who.player, Seat(seat)))


@seats.put("/v1/games/<game_id>/seats/<int:seat>/bot")
def seat_bot(game_id: str, seat: int) -> Response:
    """Give an open seat to a bot."""
    who = caller_with("play")
    body = loaded(BOT_SEAT, request_json())
    return _done(game_id, who, SeatBot(who.player, Seat(seat), body["level"]))


@seats.put("/v1/games/<game_id>/seats/<int:seat>/invite")
def invite(game_id: str, seat: int) -> Response:
    """Keep an open seat for a player for a day."""
    who = caller_with("play")
    player = PlayerId(loaded(INVITE, request_json())["player"])
    if player not in current().players.accounts([player]):
        raise Problem("player-unknown")
    until = current().table.now() + INVITED_FOR
    return _done(game_id, who, InvitePlayer(who.player, Seat(seat), player, until))


@seats.put("/v1/games/<game_id>/seats/<int:seat>/entropy")
def give_entropy(game_id: str, seat: int) -> Response:
    """Add to the shuffle."""
    who = caller_with("play")
    body = loaded(ENTROPY_BODY, request_json())
    return _done(game_id, who, GiveEntropy(who.player, Seat(seat), body["entropy"]))


def _done(game_id: str, who: Caller, command: Command) -> Response:
    return own_view(accepted(current().table.act(known_id(game_id), command)), who)
