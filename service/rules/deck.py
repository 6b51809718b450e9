"""Hands and how a shuffled deck is dealt into them (R7, R8)."""

from collections.abc import Sequence
from typing import NamedTuple

from events.vocabulary import NO_CARDS, Hand, Seat

CARDS_EACH = {2: 8, 3: 8, 4: 6}


class Deal(NamedTuple):
    """The cards of a round; `dead_hand` is empty unless two play."""

    hands: tuple[Hand, ...]
    dead_hand: Hand


def deal(deck: Sequence[int], dealer: Seat, players: int) -> Deal:
    """Deal 24 card numbers one at a time, clockwise, from the seat left of the dealer (R8)."""
    order = [(dealer + 1 + step) % players for step in range(players)]
    if players == 2:
        order.append(2)
    masks = [0, 0, 0, 0]
    for place, card in enumerate(deck):
        masks[order[place % len(order)]] |= 1 << card
    dead_hand = Hand(masks[2]) if players == 2 else NO_CARDS
    return Deal(tuple(Hand(mask) for mask in masks[:players]), dead_hand)


def side_of(seat: int, players: int) -> int:
    """The side a seat scores for (R5)."""
    return seat % 2 if players == 4 else seat


def sides(players: int) -> int:
    """How many sides score (R5)."""
    return 2 if players == 4 else players
