"""The one door for play."""

from functools import partial
from typing import Any

from flask import Blueprint, Response

from events.vocabulary import GameId, Seat
from service.api.answers import known_id, own_view, version_asked
from service.api.auth import caller_with
from service.api.bodies import request_json
from service.api.idempotency import done_before_refused, request_in
from service.api.problems import Problem, refused
from service.api.schemas import loaded_action
from service.api.services import current
from service.api.waiting import wait_for_turn, wait_preferred
from service.game.commands import Action, MakeBid, NameTrump, Pass, PlayCard
from service.game.position import Position
from service.game.refusals import Refusal
from service.game.state import seat_of, seat_to_act
from service.players.accounts import Caller
from service.table import ByPlayer, VersionMismatch
from service.views.seat_view import legal_bodies, turn_shape

actions = Blueprint("actions", __name__)


@actions.post("/v1/games/<game_id>/actions")
def act(game_id: str) -> Response:
    """Bid, pass, name trump or play a card as the caller's seat."""
    who, known = caller_with("play"), known_id(game_id)
    asked = request_in(known, who)
    try:
        with done_before_refused(asked):
            command = ByPlayer(who.player, partial(_command, request_json()))
            outcome = current().table.act(known, command, expected=version_asked(), request=asked)
    except VersionMismatch as mismatch:
        where = _where(mismatch.position, who)
        detail = f"The game is at version {mismatch.position.version}."
        raise Problem("version-mismatch", detail, extra=where) from None
    if isinstance(outcome, Refusal):
        raise refused(outcome, _where_now(known, who))
    if seconds := wait_preferred():
        outcome = wait_for_turn(outcome, who, seconds)
    return own_view(outcome, who)


def _command(raw: dict[str, Any], seat: Seat) -> Action:
    body = loaded_action(raw)
    match body["type"]:
        case "play_card":
            return PlayCard(seat, body["card"])
        case "bid":
            return MakeBid(seat, body["bid"])
        case "name_trump":
            return NameTrump(seat, body["trump"])
        case _:
            return Pass(seat)


def _where_now(game_id: GameId, who: Caller) -> dict[str, Any]:
    return _where(current().table.look(game_id), who)


def _where(position: Position, who: Caller) -> dict[str, Any]:
    game = position.game
    where: dict[str, Any] = {"version": position.version, "turn": turn_shape(position)}
    seat = seat_of(game, who.player)
    if seat is None:
        return where
    place = game.setup.places[seat]
    if place.acting_bot:
        return {**where, "take_back": f"/v1/games/{position.id}/seats/{seat}"}
    if seat == seat_to_act(game):
        where["legal_actions"] = legal_bodies(game)
    return where
