"""The closed sets of Pepper, with the spellings that are stored and shown. No rules live here."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NewType, Self

Seat = NewType("Seat", int)
"""A place at the table, 0…n-1 clockwise (R5)."""

Side = NewType("Side", int)
"""The seats that score together: two facing ones with 4 players, else one (R5)."""

PlayerId = NewType("PlayerId", str)
"""`p_` and random characters; names are never in a log."""

GameId = NewType("GameId", str)
"""`g_`, one hexadecimal digit (its shard), and random characters."""


class Suit(StrEnum):
    """The four suits, in the order in which hands are sorted."""

    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"
    SPADES = "S"


class Rank(StrEnum):
    """The six ranks, low to high in a suit that is not trump (R2)."""

    NINE = "9"
    TEN = "T"
    JACK = "J"
    QUEEN = "Q"
    KING = "K"
    ACE = "A"


class _Numbered(StrEnum):
    """A spelling that also knows its place in its set, as a number from 0."""

    number: int

    def __new__(cls, spelling: str) -> Self:
        member = str.__new__(cls, spelling)
        member._value_ = spelling
        member.number = len(cls.__members__)
        return member


class Card(_Numbered):
    """The 24 cards, rank then suit (R1); `number` is 6 * suit + rank, `bit` its place in a hand."""

    NINE_CLUBS = "9C"
    TEN_CLUBS = "TC"
    JACK_CLUBS = "JC"
    QUEEN_CLUBS = "QC"
    KING_CLUBS = "KC"
    ACE_CLUBS = "AC"
    NINE_DIAMONDS = "9D"
    TEN_DIAMONDS = "TD"
    JACK_DIAMONDS = "JD"
    QUEEN_DIAMONDS = "QD"
    KING_DIAMONDS = "KD"
    ACE_DIAMONDS = "AD"
    NINE_HEARTS = "9H"
    TEN_HEARTS = "TH"
    JACK_HEARTS = "JH"
    QUEEN_HEARTS = "QH"
    KING_HEARTS = "KH"
    ACE_HEARTS = "AH"
    NINE_SPADES = "9S"
    TEN_SPADES = "TS"
    JACK_SPADES = "JS"
    QUEEN_SPADES = "QS"
    KING_SPADES = "KS"
    ACE_SPADES = "AS"


class Bid(_Numbered):
    """The bids, low to high (R9); `number` orders them. 4 players do not use six and seven."""

    ONE = "1"
    TWO = "2"
    THREE = "3"
    FOUR = "4"
    FIVE = "5"
    SIX = "6"
    SEVEN = "7"
    SMALL_PEPPER = "small_pepper"
    BIG_PEPPER = "big_pepper"


class Trump(_Numbered):
    """What the declarer may name: a suit, no trump, or low (house rule `no_trump: high_low`)."""

    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"
    SPADES = "S"
    NONE = "none"
    LOW = "low"


class BotLevel(StrEnum):
    """How strong a bot plays."""

    NOVICE = "novice"
    CLUB = "club"


class OnTimeout(StrEnum):
    """What happens when a person's time runs out: a bot takes that turn, or the seat."""

    BOT_PLAYS = "bot_plays"
    BOT_TAKES_OVER = "bot_takes_over"


class Cause(StrEnum):
    """Who made an event happen; the value is its one stored character."""

    PLAYER = "P"
    BOT = "B"
    TIMEOUT = "T"
    SYSTEM = "S"


CARDS: tuple[Card, ...] = tuple(Card)
BIDS: tuple[Bid, ...] = tuple(Bid)
SUITS: tuple[Suit, ...] = tuple(Suit)

SHARDS = "0123456789abcdef"
"""A game's shard is the hexadecimal digit after `g_`; there are 16, for ever."""


def shard_of(game: GameId) -> str:
    """The shard whose feed and scripts a game belongs to."""
    return game[2]


Hand = NewType("Hand", int)
"""A set of cards as a bit mask: bit n is `CARDS[n]`."""

NO_CARDS = Hand(0)


def cards_in(hand: Hand) -> tuple[Card, ...]:
    """The cards of a hand, in the order of `CARDS`."""
    return tuple(card for card in CARDS if hand >> card.number & 1)


def hand_of(cards: Iterable[Card]) -> Hand:
    """The hand that holds exactly these cards."""
    mask = 0
    for card in cards:
        mask |= 1 << card.number
    return Hand(mask)
