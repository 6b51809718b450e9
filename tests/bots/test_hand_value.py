"""Hand values order hands as players do, and sure tricks are sure."""

from random import Random

import pytest

from events.vocabulary import CARDS, SUITS, Bid, Card, Trump, hand_of
from service.bots.contract_worth import chance_made, chances, forecast, margins, worth
from service.bots.hand_value import expected_tricks, sure_tricks
from service.rules.house_rules import HouseRules, SetPenalty

RULES = HouseRules()


def hand(cards: str) -> int:
    return hand_of(Card(card) for card in cards.split())


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("JS JC AS AD TD QH", "JS AS KS AD TD QH"),
        ("JS AS KS AD TD QH", "JS AS KS KD TD QH"),
        ("JS AS KS 9S TD QH", "JS AS KS 9D TD QH"),
    ],
)
def test_a_better_hand_is_worth_more_tricks(better: str, worse: str) -> None:
    assert expected_tricks(hand(better), Trump.SPADES, 4) > expected_tricks(
        hand(worse), Trump.SPADES, 4
    )


def test_low_turns_the_ranks_upside_down() -> None:
    turned = {"9": "A", "T": "K", "J": "Q", "Q": "J", "K": "T", "A": "9"}
    for seed in range(50):
        held = Random(seed).sample(CARDS, 6)
        upside_down = hand_of(Card(turned[card[0]] + card[1]) for card in held)
        assert expected_tricks(hand_of(held), Trump.NONE, 4) == pytest.approx(
            expected_tricks(upside_down, Trump.LOW, 4)
        )


@pytest.mark.parametrize("players", [2, 3, 4])
def test_suits_are_worth_the_same(players: int) -> None:
    bowers = [hand(f"J{suit} A{suit} 9{suit}") for suit in SUITS]
    values = [
        expected_tricks(held, Trump(suit), players)
        for held, suit in zip(bowers, SUITS, strict=True)
    ]
    assert values == pytest.approx([values[0]] * 4)


@pytest.mark.parametrize(
    ("cards", "trump", "sure"),
    [
        ("JS JC AS KS QS TS", Trump.SPADES, 6),
        ("JS JC AS KS AD KD", Trump.SPADES, 6),
        ("JS JC AS AD KD QD", Trump.SPADES, 3),
        ("JS AS KS QS AD KD", Trump.SPADES, 1),
        ("AS KS QS 9S AD AH", Trump.NONE, 6),
        ("9S TS JS QS 9D 9H", Trump.LOW, 6),
        ("AC AD AH AS TC TD", Trump.NONE, 4),
    ],
)
def test_sure_tricks_of_a_declarer_on_lead(cards: str, trump: Trump, sure: int) -> None:
    assert sure_tricks(hand(cards), trump, is_leading=True) == sure


def test_side_winners_are_not_sure_off_lead() -> None:
    assert sure_tricks(hand("JS JC AS KS AD KD"), Trump.SPADES, is_leading=False) == 4
    assert sure_tricks(hand("AS KS QS 9S AD AH"), Trump.NONE, is_leading=False) == 0


def test_the_chances_of_all_numbers_of_tricks_add_up() -> None:
    for tricks in (0.0, 1.3, 4.4, 5.9, 8.0):
        assert sum(chances(forecast(tricks, 0.8, 2), 6)) == pytest.approx(1)
        assert chances(forecast(tricks, 0.8, 2), 6)[:2] == (0.0, 0.0)


def test_a_contract_is_made_for_sure_with_its_tricks_in_hand() -> None:
    assert chance_made(Bid.BIG_PEPPER, forecast(5.2, 0.8, 6), 4) == pytest.approx(1)
    assert worth(Bid.BIG_PEPPER, forecast(5.2, 0.8, 6), 4, RULES) == pytest.approx(12)


def test_margins_are_the_points_of_the_house_rules() -> None:
    assert margins(Bid.FOUR, 4, RULES) == (-12, -11, -10, -9, 2, 4, 6)
    mild = HouseRules(set_penalty=SetPenalty.BID)
    assert margins(Bid.FOUR, 4, mild)[3] == -7
    assert margins(Bid.SMALL_PEPPER, 4, mild)[5] == -7
