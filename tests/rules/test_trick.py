"""Following suit and taking tricks (R15, R16), the left bower included (R4)."""

import pytest

from events.vocabulary import Card, Hand, Trump, cards_in, hand_of
from service.rules.trick import legal_plays, strongest


def legal(hand: str, lead: str | None, trump: Trump) -> str:
    held = hand_of(Card(card) for card in hand.split())
    led = Card(lead).number if lead else None
    return " ".join(cards_in(Hand(legal_plays(held, led, trump.number))))


def taker(cards: str, trump: Trump) -> str:
    plays = cards.split()
    return plays[strongest(tuple(Card(card).number for card in plays), trump.number)]


@pytest.mark.parametrize(
    ("hand", "lead", "trump", "expected"),
    [
        ("9C AH", None, Trump.SPADES, "9C AH"),
        ("9C AH KH", "TH", Trump.SPADES, "KH AH"),
        ("9C KC", "TH", Trump.SPADES, "9C KC"),
        ("JC 9C", "AS", Trump.SPADES, "JC"),
        ("JC AS", "9C", Trump.SPADES, "JC AS"),
        ("9C AS", "JC", Trump.SPADES, "AS"),
        ("JC 9H", "9C", Trump.LOW, "JC"),
        ("JC 9H", "9C", Trump.NONE, "JC"),
    ],
)
def test_who_can_follow_must(hand: str, lead: str | None, trump: Trump, expected: str) -> None:
    assert legal(hand, lead, trump) == expected


@pytest.mark.parametrize(
    ("cards", "trump", "winner"),
    [
        ("9H AH KH QH", Trump.SPADES, "AH"),
        ("AH 9S KH QH", Trump.SPADES, "9S"),
        ("AS JC JS KS", Trump.SPADES, "JS"),
        ("AS JC KS", Trump.SPADES, "JC"),
        ("9H AS AD AC", Trump.NONE, "9H"),
        ("AH 9H 9S", Trump.LOW, "9H"),
        ("AH 9S", Trump.LOW, "AH"),
    ],
)
def test_the_strongest_card_takes_the_trick(cards: str, trump: Trump, winner: str) -> None:
    assert taker(cards, trump) == winner
