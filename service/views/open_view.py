"""A game with every hand face up: only for games that have ended."""

from events.vocabulary import Seat, cards_in
from service.game.position import Position
from service.game.state import Acting
from service.rules.ranking import sorted_hand
from service.views.seat_view import hand_shape, seat_view
from service.views.shapes import OpenView


def open_view(position: Position) -> OpenView:
    """The spectator's view at a version, with all hands as they were and the dead hand."""
    game = position.game
    dead_hand = game.dealt.dead_hand if isinstance(game, Acting) else None
    return {
        **seat_view(position, None),
        "hands": [hand_shape(game, Seat(seat)) for seat in range(game.setup.players)],
        "dead_hand": [card.value for card in sorted_hand(cards_in(dead_hand), None)]
        if dead_hand
        else None,
    }
