"""What a club player does in positions that anyone who plays the game agrees on."""

import pytest

from tests.bots.positions import choice, position

BUST = "9C TC QD 9H TH QS"
LAYDOWN = "JS JC AS KS QS TS"
SPADES = "JS AS KS AD 9D TH"


def test_it_bids_big_pepper_with_a_hand_that_takes_every_trick() -> None:
    assert choice(position({0: LAYDOWN})) == "big_pepper"


@pytest.mark.parametrize("players", [2, 3])
def test_it_bids_big_pepper_with_eight_tricks_in_hand(players: int) -> None:
    hand = "JS JC AS KS QS TS 9S AH"
    assert choice(position({0: hand}, players=players, dealer=players - 1)) == "big_pepper"


def test_it_passes_a_bust_hand() -> None:
    assert choice(position({0: BUST})) == "pass"


def test_it_passes_a_bust_hand_when_the_others_have_bid() -> None:
    assert choice(position({3: BUST}, "pass 3 pass")) == "pass"


def test_a_dealer_who_must_bid_a_bust_hand_bids_one() -> None:
    assert choice(position({3: BUST}, "pass pass pass")) == "1"


def test_a_dealer_who_may_throw_in_a_bust_hand_does() -> None:
    bust_of_three = "9C TC QD 9H TH QS 9D TS"
    rules = {"all_pass": "redeal"}
    hands = {2: bust_of_three}
    assert choice(position(hands, "pass pass", players=3, dealer=2, rules=rules)) == "pass"


def test_the_last_to_call_takes_the_contract_as_cheaply_as_it_can() -> None:
    rules = {"auction": "single_round"}
    assert choice(position({3: SPADES}, "pass 1 pass", rules=rules)) == "2"


def test_it_outbids_opponents_with_a_strong_hand() -> None:
    assert choice(position({3: "JS JC AS QS AD KD"}, "3 pass pass")) not in ("pass",)


def test_it_leaves_the_contract_to_a_partner_who_bid_as_much_as_it_could() -> None:
    assert choice(position({2: "JH QH 9H AC 9S TD"}, "4 pass")) == "pass"


def test_it_names_the_suit_of_its_bowers() -> None:
    assert choice(position({0: "JS JC 9S AD TD QH"}, "4 pass pass pass")) == "S"


def test_it_plays_all_aces_without_trump() -> None:
    assert choice(position({0: "AS AH AD AC KC QC"}, "4 pass pass pass")) == "none"


def test_it_never_names_no_trump_where_that_is_off() -> None:
    rules = {"no_trump": "off"}
    assert choice(position({0: "AS AH AD AC KC QC"}, "4 pass pass pass", rules=rules)) == "C"


def test_it_names_low_with_the_lowest_cards() -> None:
    rules = {"no_trump": "high_low"}
    assert choice(position({0: "9S 9H 9D 9C TC JC"}, "4 pass pass pass", rules=rules)) == "low"


def test_it_does_not_play_pepper_alone_on_what_partner_might_bring() -> None:
    hand = {0: "JS JC AS QS AD TD"}
    assert choice(position(hand, rules={"pepper_alone": True})) in ("4", "5")


def test_a_declarer_leads_trump() -> None:
    assert choice(position({0: SPADES}, "4 pass pass pass S")) == "JS"


def test_a_declarer_stops_leading_trump_when_the_opponents_have_none() -> None:
    hands = {
        0: "JS AS KS QS AD 9H",
        1: "TC QC KC TD QD KD",
        2: "JC TS 9S JD AH KH",
        3: "9C AC JH QH TH 9D",
    }
    led = "4 pass pass pass S JS TC 9S 9C"
    assert choice(position(hands, led)) == "AD"


def test_it_leads_an_ace_against_the_declarer() -> None:
    rules = {"first_lead": "left_of_dealer"}
    hands = {0: "AD TH 9H QC TC 9S", 1: "JS JC AS KS QS 9C"}
    assert choice(position(hands, "pass 4 pass pass S", rules=rules)) == "AD"


def test_it_does_not_overtake_partners_sure_winner() -> None:
    hands = {0: SPADES, 1: "TS KH QC 9C TC KC", 2: "9S QS JH QH AH 9H"}
    assert choice(position(hands, "4 pass pass pass S JS TS")) == "9S"


def test_it_does_not_ruff_partners_ace_when_it_plays_last() -> None:
    hands = {
        0: "AH TC 9D QC KC TD",
        1: "JS JC AS KS 9H QS",
        2: "9S TS 9C AD KD QD",
        3: "KH QH TH JH JD AC",
    }
    rules = {"first_lead": "left_of_dealer"}
    led = "pass 4 pass pass S AH 9H"
    assert choice(position(hands, led, rules=rules)) not in ("9S", "TS")


def test_it_ruffs_an_opponents_ace_with_its_lowest_trump() -> None:
    hands = {
        0: "AH TC 9D QC KC TD",
        1: "JS JC AS KS QS 9C",
        2: "KH TH QH AD KD QD",
        3: "9S TS JH JD AC 9H",
    }
    rules = {"first_lead": "left_of_dealer"}
    assert choice(position(hands, "pass 4 pass pass S AH QS KH 9H", rules=rules)) != "9C"
    spoken_for = {**hands, 1: "JS 9S AS KS QS 9C", 3: "JC TS JH JD AC 9H"}
    assert choice(position(spoken_for, "pass 4 pass pass S AH", rules=rules)) == "9S"


def test_the_last_to_play_takes_a_trick_as_cheaply_as_it_can() -> None:
    hands = {
        0: "QH TH AC TC QC 9C",
        1: "JS JC AS KS QS 9H",
        2: "TD JH AD KD QD 9D",
        3: "KH AH JD KC TS 9S",
    }
    rules = {"first_lead": "left_of_dealer"}
    assert choice(position(hands, "pass 4 pass pass S QH 9H JH", rules=rules)) == "KH"


def test_it_throws_its_lowest_card_to_a_trick_it_cannot_take() -> None:
    hands = {0: SPADES, 1: "KH QC 9C TC KC QD"}
    assert choice(position(hands, "4 pass pass pass S JS")) == "9C"


def test_it_plays_its_lowest_card_first_under_the_highest_in_a_low_contract() -> None:
    rules = {"no_trump": "high_low"}
    hands = {0: "9S 9H 9D 9C TC JC", 1: "TS AS KD QD AH QC"}
    assert choice(position(hands, "4 pass pass pass low 9S", rules=rules)) == "AS"
