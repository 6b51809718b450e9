"""What rounds are worth and when games end (R19–R24)."""

import pytest

from events.vocabulary import Bid
from service.rules.house_rules import HouseRules, SetPenalty, Tie
from service.rules.scoring import points, winners

BOX = HouseRules()
BY_BID = HouseRules(set_penalty=SetPenalty.BID)


@pytest.mark.parametrize(
    ("bid", "won", "players", "rules", "expected"),
    [
        ("3", (3, 3), 4, BOX, (3, 3)),
        ("3", (5, 1), 4, BOX, (5, 1)),
        ("3", (2, 4), 4, BOX, (-6, 4)),
        ("1", (0, 6), 4, BOX, (-6, 6)),
        ("small_pepper", (6, 0), 4, BOX, (6, 0)),
        ("small_pepper", (5, 1), 4, BOX, (-6, 1)),
        ("big_pepper", (6, 0), 4, BOX, (12, 0)),
        ("big_pepper", (5, 1), 4, BOX, (-12, 1)),
        ("big_pepper", (8, 0, 0), 3, BOX, (16, 0, 0)),
        ("big_pepper", (7, 1, 0), 3, BOX, (-16, 1, 0)),
        ("7", (6, 2), 2, BOX, (-8, 2)),
        ("5", (4, 2), 4, BY_BID, (-5, 2)),
        ("7", (6, 2), 2, BY_BID, (-7, 2)),
        ("small_pepper", (7, 1), 2, BY_BID, (-8, 1)),
        ("big_pepper", (7, 1), 2, BY_BID, (-16, 1)),
    ],
)
def test_points_of_a_round(
    bid: str, won: tuple[int, ...], players: int, rules: HouseRules, expected: tuple[int, ...]
) -> None:
    assert points(Bid(bid), 0, won, players, rules) == expected


@pytest.mark.parametrize(
    ("scores", "number", "rules", "expected"),
    [
        ((29, 12), 9, BOX, ()),
        ((30, 12), 9, BOX, (0,)),
        ((31, 36), 9, BOX, (1,)),
        ((33, 33), 9, BOX, (0, 1)),
        ((33, 33), 9, HouseRules(tie=Tie.PLAY_ON), ()),
        ((33, 33, 31), 9, BOX, (0, 1)),
        ((-5, 3), 1000, BOX, (1,)),
        ((3, 3), 1000, HouseRules(tie=Tie.PLAY_ON), (0, 1)),
    ],
)
def test_who_has_won(
    scores: tuple[int, ...], number: int, rules: HouseRules, expected: tuple[int, ...]
) -> None:
    assert winners(scores, number, rules) == expected
