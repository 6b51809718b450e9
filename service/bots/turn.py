"""What the bot on turn gets to decide with."""

from typing import NamedTuple

from events.vocabulary import BotLevel, Seat
from service.game.bot_engine import TAKEOVER_LEVEL
from service.game.position import Position
from service.game.state import is_bot_turn, seat_to_act
from service.rules.fair_shuffle import decision_seed
from service.views.seat_view import seat_view
from service.views.shapes import SeatView


class BotTurn(NamedTuple):
    """A turn that a bot must take: all it may know, and the seed of its decision."""

    position: Position
    seat: Seat
    view: SeatView
    level: BotLevel
    decision_seed: bytes


def bot_turn(position: Position) -> BotTurn | None:
    """What the bot on turn needs, None if no bot must act."""
    seat = seat_to_act(position.game)
    if seat is None or not is_bot_turn(position.game):
        return None
    return BotTurn(
        position,
        seat,
        seat_view(position, seat),
        position.game.setup.places[seat].level or TAKEOVER_LEVEL,
        decision_seed(position.seed, seat, position.version),
    )
