"""Which suit a card counts as, and which card is stronger (R2–R4)."""

import pytest

from events.vocabulary import CARDS, Card, Suit, Trump
from service.rules.ranking import SAME_COLOUR, sorted_hand, strength, suit_of


def ranked(trump: Trump, led: Suit) -> list[str]:
    winning = [card for card in CARDS if strength(card, trump, led)]
    return [card.value for card in sorted(winning, key=lambda card: -strength(card, trump, led))]


def test_trumps_rank_right_bower_left_bower_and_down() -> None:
    assert ranked(Trump.SPADES, Suit.SPADES) == ["JS", "JC", "AS", "KS", "QS", "TS", "9S"]


def test_the_suit_led_comes_below_every_trump() -> None:
    assert ranked(Trump.HEARTS, Suit.CLUBS) == (
        ["JH", "JD", "AH", "KH", "QH", "TH", "9H", "AC", "KC", "QC", "JC", "TC", "9C"]
    )


def test_the_suit_that_lost_its_jack_has_five_cards() -> None:
    assert ranked(Trump.HEARTS, Suit.DIAMONDS)[7:] == ["AD", "KD", "QD", "TD", "9D"]


def test_no_trump_has_no_bowers() -> None:
    assert ranked(Trump.NONE, Suit.SPADES) == ["AS", "KS", "QS", "JS", "TS", "9S"]


def test_low_turns_the_suit_led_round() -> None:
    assert ranked(Trump.LOW, Suit.SPADES) == ["9S", "TS", "JS", "QS", "KS", "AS"]


@pytest.mark.parametrize("trump", [Trump.CLUBS, Trump.DIAMONDS, Trump.HEARTS, Trump.SPADES])
def test_the_left_bower_is_a_trump(trump: Trump) -> None:
    left = Card(f"J{SAME_COLOUR[Suit(trump)]}")
    assert suit_of(left, trump) is Suit(trump)
    assert sum(suit_of(card, trump) is Suit(trump) for card in CARDS) == 7


@pytest.mark.parametrize("trump", [Trump.NONE, Trump.LOW])
def test_without_trump_every_jack_follows_its_printed_suit(trump: Trump) -> None:
    assert all(suit_of(card, trump).value == card.value[1] for card in CARDS)


def test_a_hand_is_sorted_trumps_first_then_clubs_to_spades() -> None:
    hand = (Card("9C"), Card("JD"), Card("AH"), Card("AS"), Card("AC"), Card("JH"))
    assert sorted_hand(hand, Trump.HEARTS) == ["JH", "JD", "AH", "AC", "9C", "AS"]
