"""What the bot on turn gets to decide with."""

from typing import NamedTuple

from events.vocabulary import BotLevel, Cause, Seat
from service.game.bot_engine import TAKEOVER_LEVEL
from service.game.position import Position
from service.game.state import is_bot_turn, seat_to_act
from service.rules.fair_shuffle import decision_seed
from service.views.seat_view import seat_view
from service.views.shapes import SeatView


class BotTurn(NamedTuple):
    """A turn that a bot must take: all it may know, the seed of its decision, and why it is asked.

    `cause`: the seat is a bot's, or its person ran out of time.
    """

    position: Position
    seat: Seat
    view: SeatView
    level: BotLevel
    decision_seed: bytes
    cause: Cause


def bot_turn(position: Position, *, is_late: bool = False) -> BotTurn | None:
    """What the bot on turn needs, None if no bot must act; one acts for a person who is late."""
    seat, is_bots = seat_to_act(position.game), is_bot_turn(position.game)
    if seat is None or not (is_bots or is_late):
        return None
    return BotTurn(
        position,
        seat,
        seat_view(position, seat),
        position.game.setup.places[seat].level or TAKEOVER_LEVEL,
        decision_seed(position.seed, seat, position.version),
        Cause.BOT if is_bots else Cause.TIMEOUT,
    )
