"""Which suit a card counts as, and which of two cards is stronger (R2–R4, house rule `low`)."""

from events.vocabulary import CARDS, SUITS, Card, Rank, Suit, Trump

SAME_COLOUR = {
    Suit.CLUBS: Suit.SPADES,
    Suit.SPADES: Suit.CLUBS,
    Suit.DIAMONDS: Suit.HEARTS,
    Suit.HEARTS: Suit.DIAMONDS,
}
RANKS = tuple(Rank)
_LEFT_BOWER, _RIGHT_BOWER = 7, 8
_TRUMP = 10


def printed_suit(card: Card) -> Suit:
    """The suit on the card's face."""
    return SUITS[card.number // 6]


def rank_of(card: Card) -> Rank:
    """The rank on the card's face."""
    return RANKS[card.number % 6]


def suit_of(card: Card, trump: Trump) -> Suit:
    """The suit a card counts as for every purpose: the left bower is a trump (R4)."""
    printed = printed_suit(card)
    if trump in (Trump.NONE, Trump.LOW) or rank_of(card) is not Rank.JACK:
        return printed
    trumps = Suit(trump)
    return trumps if SAME_COLOUR[printed] is trumps else printed


def strength(card: Card, trump: Trump, led: Suit) -> int:
    """How strong a card is in a trick where `led` was led; 0 cannot win (R16)."""
    suit, height = suit_of(card, trump), card.number % 6 + 1
    if trump is Trump.LOW:
        return 7 - height if suit is led else 0
    if trump is not Trump.NONE and suit is Suit(trump):
        return _TRUMP + _trump_height(card, suit, height)
    return height if suit is led else 0


def _trump_height(card: Card, trumps: Suit, height: int) -> int:
    if rank_of(card) is not Rank.JACK:
        return height
    return _RIGHT_BOWER if printed_suit(card) is trumps else _LEFT_BOWER


SUIT_NUMBERS: tuple[tuple[int, ...], ...] = tuple(
    tuple(SUITS.index(suit_of(card, trump)) for card in CARDS) for trump in Trump
)
"""By trump and card number: the number of the suit the card counts as."""

SUIT_MASKS: tuple[tuple[int, ...], ...] = tuple(
    tuple(sum(1 << card.number for card in CARDS if suit_of(card, trump) is suit) for suit in SUITS)
    for trump in Trump
)
"""By trump and suit number: the hand of all cards that count as the suit."""

STRENGTHS: tuple[tuple[tuple[int, ...], ...], ...] = tuple(
    tuple(tuple(strength(card, trump, led) for card in CARDS) for led in SUITS) for trump in Trump
)
"""By trump, number of the suit led and card number: how strong the card is; 0 cannot win."""


def sorted_hand(cards: tuple[Card, ...], trump: Trump | None) -> list[Card]:
    """A hand as a player holds it: trumps first, then C D H S, high to low in each."""
    named = trump or Trump.NONE
    trumps = SUITS.index(Suit(named)) if named.value in SUITS else -1
    suits = SUIT_NUMBERS[named.number]

    def place(card: Card) -> tuple[bool, int, int]:
        suit = suits[card.number]
        return suit != trumps, suit, -STRENGTHS[named.number][suit][card.number]

    return sorted(cards, key=place)
