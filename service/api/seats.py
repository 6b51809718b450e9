"""Seats: take, move, leave, take back, bots, invitations, entropy."""

from typing import Any

from flask import Blueprint, Response

from events.vocabulary import PlayerId, Seat
from service.api.answers import known_id, own_view
from service.api.auth import caller_with
from service.api.bodies import request_json
from service.api.games import accepted
from service.api.idempotency import request_in
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
    who = caller_with("play")
    body = loaded(TAKE_SEAT, request_json(is_optional=True))
    seat = None if body.get("seat") is None else Seat(body["seat"])
    return _take(game_id, who, seat, body)


@seats.post("/v1/games/<game_id>/seats/<int:seat>")
def take_seat(game_id: str, seat: int) -> Response:
    """Sit down at this seat; take one's own seat back."""
    who = caller_with("play")
    return _take(game_id, who, Seat(seat), loaded(SIT, request_json(is_optional=True)))


def _take(game_id: str, who: Caller, seat: Seat | None, body: dict[str, Any]) -> Response:
    now = current().table.now()
    take = TakeSeat(who.player, seat, who.is_bot, now, body.get("entropy"))
    request = request_in(known_id(game_id), who)
    return own_view(accepted(current().table.act(known_id(game_id), take, request=request)), who)


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
