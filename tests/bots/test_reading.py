"""What a seat works out from its view while tricks are played."""

import pytest

from events.vocabulary import CARDS, Card, Hand, cards_in, hand_of
from service.bots.reading import Reading, read_trick
from tests.bots.positions import position, view_on_turn

HANDS = {
    0: "JS AS KS QS AD 9H",
    1: "TC QC KC TD QD KD",
    2: "JC TS 9S JD AH KH",
    3: "9C AC JH QH TH 9D",
}
ONE_TRICK = "4 pass pass pass S JS TC 9S 9C"
SPADES, DIAMONDS = 3, 1


def read(actions: str, **options: object) -> Reading:
    return read_trick(view_on_turn(position(HANDS, actions, **options)))  # type: ignore[arg-type]  # house rules


def named(cards: str) -> int:
    return hand_of(Card(card) for card in cards.split())


def test_it_remembers_who_could_not_follow() -> None:
    reading = read(ONE_TRICK)
    assert [bool(suits >> SPADES & 1) for suits in reading.voids] == [False, True, False, True]


def test_the_left_bower_follows_as_a_trump() -> None:
    reading = read("4 pass pass pass S JS TC JC 9C")
    assert not reading.voids[2]


def test_the_left_bower_is_no_trump_without_trump() -> None:
    reading = read("4 pass pass pass none JS TC TS 9C AS QC JC 9D")
    assert reading.voids[2] == 1 << SPADES


def test_unseen_is_all_that_is_neither_held_nor_played() -> None:
    unseen = cards_in(Hand(read(ONE_TRICK).unseen))
    assert len(unseen) == 24 - 5 - 4
    assert not {Card("JS"), Card("TC"), Card("AS")} & set(unseen)


def test_trumps_against_are_none_once_both_opponents_are_void() -> None:
    assert read("4 pass pass pass S").trumps_against() == 3
    assert read(ONE_TRICK).trumps_against() == 0


def test_the_highest_card_left_of_a_suit_has_none_better() -> None:
    assert read(ONE_TRICK).better(Card("AS").number) == named("JC")
    assert read(ONE_TRICK).better(Card("AD").number) == 0


def test_a_void_seat_surely_holds_no_trump() -> None:
    reading = read(ONE_TRICK)
    assert reading.chance_without(1, SPADES, 2) == 1.0
    assert reading.chance_without(2, SPADES, 2) == pytest.approx(0.0)


def test_an_ace_is_safer_the_fewer_may_ruff_it() -> None:
    before = read("4 pass pass pass S")
    after = read(ONE_TRICK)
    ace = before.strength(Card("AD").number, DIAMONDS)
    assert 0 < before.chance_beaten(1, DIAMONDS, ace) < 1
    assert after.chance_beaten(1, DIAMONDS, ace) == 0


def test_a_partner_who_sits_out_is_no_company() -> None:
    alone = {"rules": {"pepper_alone": True}}
    declarer = read("small_pepper pass pass pass S", **alone)
    assert (declarer.partner, declarer.opponents, declarer.later) == (None, (1, 3), (1, 3))
    assert declarer.hidden == 6
    defender = read("small_pepper pass pass pass S JS", **alone)
    assert (defender.partner, defender.opponents, defender.later) == (3, (0,), (3,))


def test_with_two_players_the_dead_hand_is_hidden_from_both() -> None:
    reading = read_trick(view_on_turn(position({}, "1 pass S", players=2, dealer=1)))
    assert (reading.partner, reading.opponents, reading.hidden) == (None, (1,), 8)
    assert reading.unseen.bit_count() == len(CARDS) - 8
