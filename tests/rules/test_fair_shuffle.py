"""The shuffle as its docstring specifies it, recomputed here byte by byte."""

import hashlib
import hmac

from events.vocabulary import GameId, Seat, cards_in
from service.rules.deck import deal
from service.rules.fair_shuffle import (
    commitment,
    decision_seed,
    first_dealer,
    shuffled_deck,
)

SEED = bytes(range(32))
GAME = GameId("g_0abcdefghijklmnop")


def block(draw: int, counter: int) -> bytes:
    parts = (GAME.encode(), b"tea", b"", b"", b"!~", draw.to_bytes(4, "big"))
    message = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return hmac.new(SEED, message + counter.to_bytes(4, "big"), hashlib.sha256).digest()


def test_the_first_dealer_is_the_first_byte_of_stream_0() -> None:
    assert first_dealer(SEED, GAME, ["tea", None, None, "!~"], 4) == block(0, 0)[0] % 4


def test_the_deck_is_fisher_yates_over_the_stream_of_its_round() -> None:
    stream = list(block(7, 0) + block(7, 1) + block(7, 2))
    deck = list(range(24))
    for last in range(23, 0, -1):
        while stream[0] >= 256 - 256 % (last + 1):
            stream.pop(0)
        chosen = stream.pop(0) % (last + 1)
        deck[last], deck[chosen] = deck[chosen], deck[last]
    assert shuffled_deck(SEED, GAME, ["tea", None, None, "!~"], 7) == deck


def test_every_first_card_is_as_likely_as_any() -> None:
    counts = [0] * 24
    for number in range(1, 4801):
        counts[shuffled_deck(SEED, GAME, [None, None], number)[0]] += 1
    chi_square = sum((count - 200) ** 2 / 200 for count in counts)
    assert chi_square < 49.7, "the 99.9 % quantile with 23 degrees of freedom"


def test_entropy_and_round_change_the_deck() -> None:
    decks = {
        tuple(shuffled_deck(SEED, GAME, entropies, number))
        for entropies in (["a", "b"], ["ab", None], [None, "ab"])
        for number in (1, 2)
    }
    assert len(decks) == 6


def test_cards_are_dealt_one_at_a_time_from_the_left_of_the_dealer() -> None:
    hands, dead_hand = deal(range(24), Seat(1), 4)
    assert [cards_in(hand)[0] for hand in hands] == ["JC", "QC", "9C", "TC"]
    assert not dead_hand


def test_with_two_players_every_third_card_goes_to_the_dead_hand() -> None:
    hands, dead_hand = deal(range(24), Seat(0), 2)
    assert [cards_in(hand)[0] for hand in (*hands, dead_hand)] == ["TC", "9C", "JC"]
    assert [hand.bit_count() for hand in (*hands, dead_hand)] == [8, 8, 8]


def test_the_commitment_is_the_hash_of_the_seed() -> None:
    assert commitment(SEED) == hashlib.sha256(SEED).hexdigest()


def test_a_decision_seed_is_an_hmac_of_seat_and_version() -> None:
    message = b"bot" + (2).to_bytes(4, "big") + (17).to_bytes(4, "big")
    expected = hmac.new(SEED, message, hashlib.sha256).digest()
    assert decision_seed(SEED, Seat(2), 17) == expected
