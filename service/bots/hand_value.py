"""How many tricks a hand is good for under each trump.

The weights were fitted to the tricks that club bots took in 45,000 forced contracts: a hand is
worth a constant (what partner brings) and so much for each of its features, and the tricks spread
around that as a binomial does, `spread` times as widely.
"""

from functools import lru_cache
from typing import NamedTuple

from events.vocabulary import Card, Trump
from service.bots.reading import cards_of
from service.rules.ranking import STRENGTHS, SUIT_MASKS

JACK, KING, ACE = 1 << 2, 1 << 4, 1 << 5
_RANKS = 63


class Weights(NamedTuple):
    """Tricks for each feature of a hand; `trumps` are by height: six low ones, left, right."""

    constant: float
    trumps: tuple[float, ...]
    void: float
    ace: float
    long_ace: float
    ace_king: float
    guarded_king: float
    spread: float


_NO_TRUMPS = (0.0,) * 8
SUIT_WEIGHTS = {
    2: Weights(-1.05, (1.05, 1.05, 0, 1.1, 1.2, 1.3, 1.55, 2.0), 0.6, 1.1, 0, 0.4, 0.7, 0.8),
    3: Weights(-1.6, (0.87, 0.87, 0, 0.9, 0.92, 1.1, 1.5, 2.1), 0.7, 1.0, 0, 0.35, 0.4, 0.56),
    4: Weights(0.9, (0.67, 0.67, 0, 0.7, 0.72, 0.85, 1.15, 1.5), 0.0, 0.3, 0, 0.4, 0.15, 0.82),
}
PLAIN_WEIGHTS = {
    2: Weights(1.6, _NO_TRUMPS, 0.0, 0.95, 0.6, 0.85, 0.7, 1.2),
    3: Weights(0.0, _NO_TRUMPS, 0.0, 0.85, 0.85, 1.3, 0.45, 0.68),
    4: Weights(2.0, _NO_TRUMPS, 0.0, 0.75, 0.5, 0.55, 0.15, 1.1),
}
ALONE_SUIT = Weights(-0.9, (0.8, 0.8, 0, 0.83, 0.95, 1.1, 1.4, 1.9), 0.2, 0.75, 0, 0.35, 0.3, 0.72)
ALONE_PLAIN = Weights(0.8, _NO_TRUMPS, 0.0, 0.95, 0.75, 0.9, 0.5, 1.0)


def weights_for(trump: Trump, players: int, *, is_alone: bool) -> Weights:
    """What features count for in a contract."""
    if trump in (Trump.NONE, Trump.LOW):
        return ALONE_PLAIN if is_alone else PLAIN_WEIGHTS[players]
    return ALONE_SUIT if is_alone else SUIT_WEIGHTS[players]


def expected_tricks(hand: int, trump: Trump, players: int, *, is_alone: bool = False) -> float:
    """How many tricks the hand's side takes on average as declarer."""
    weights = weights_for(trump, players, is_alone=is_alone)
    tricks = weights.constant
    for suit, mask in enumerate(SUIT_MASKS[trump.number]):
        held = hand & mask
        if suit == trump.number:
            tricks += _trump_tricks(held, suit, weights)
        else:
            ranks = held >> 6 * suit & _RANKS
            tricks += _side_tricks(_upside_down(ranks) if trump is Trump.LOW else ranks, weights)
    return tricks


def _trump_tricks(held: int, trump: int, weights: Weights) -> float:
    heights = STRENGTHS[trump][trump]
    return sum(weights.trumps[heights[card] - _LOWEST_TRUMP] for card in cards_of(held))


_LOWEST_TRUMP = STRENGTHS[Trump.CLUBS.number][0][Card.NINE_CLUBS.number]


@lru_cache(maxsize=1024)
def _side_tricks(ranks: int, weights: Weights) -> float:
    if not ranks:
        return weights.void
    cards = ranks.bit_count()
    if ranks & ACE:
        more = weights.ace_king if ranks & KING else 0.0
        return weights.ace + more + weights.long_ace * max(0, cards - 2)
    return weights.guarded_king if ranks & KING and cards > 1 else 0.0


def _upside_down(ranks: int) -> int:
    return sum(1 << 5 - rank for rank in range(6) if ranks >> rank & 1)


def sure_tricks(hand: int, trump: Trump, *, is_leading: bool) -> int:
    """How many tricks the hand takes as declarer wherever the other cards are."""
    suits = range(len(SUIT_MASKS[trump.number]))
    side = sum(_run(hand, suit, trump) for suit in suits if suit != trump.number)
    if trump.number not in suits:
        return side if is_leading else 0
    trumps = _run(hand, trump.number, trump)
    held = (hand & SUIT_MASKS[trump.number][trump.number]).bit_count()
    are_drawn = trumps == held and 2 * held >= _TRUMPS
    return trumps + side if is_leading and are_drawn else trumps


_TRUMPS = 7


def _run(hand: int, suit: int, trump: Trump) -> int:
    cards = SUIT_MASKS[trump.number][suit]
    held, top = (hand & cards).bit_count(), 0
    for card in DOWN_FROM_THE_TOP[trump.number][suit]:
        if not hand >> card & 1:
            break
        top += 1
    return held if top >= cards.bit_count() - held else top


def high_cards(hand: int) -> float:
    """How many more aces and jacks a hand has than the average one of its size."""
    return (hand & _ACES_AND_JACKS).bit_count() - hand.bit_count() / 3


DOWN_FROM_THE_TOP = tuple(
    tuple(
        sorted(cards_of(cards), key=lambda card: -STRENGTHS[trump][suit][card])
        for suit, cards in enumerate(suits)
    )
    for trump, suits in enumerate(SUIT_MASKS)
)
"""By trump and suit: the cards that count as the suit, the best first."""

_ACES_AND_JACKS = sum((ACE | JACK) << 6 * suit for suit in range(4))
