"""The club bot beats the novice clearly over duplicate deals: the same cards, seats swapped."""

from math import sqrt
from statistics import mean, stdev

import pytest

from events.vocabulary import BotLevel
from service.simulate import play_round

DEALS = 250
NOVICE, CLUB = BotLevel.NOVICE, BotLevel.CLUB


def seatings(players: int) -> list[list[BotLevel]]:
    """For each side, the table at which it alone is of the club."""
    sides = 2 if players == 4 else players
    return [
        [CLUB if seat % sides == side else NOVICE for seat in range(players)]
        for side in range(sides)
    ]


def advantage(players: int, deal: int, **rules: str | bool) -> float:
    """The club's points over the average rival's in a round, on average over all seatings."""
    margins: list[float] = []
    for side, levels in enumerate(seatings(players)):
        points = play_round(players, rules, levels, f"duplicate {deal}")
        rivals = [earned for rival, earned in enumerate(points) if rival != side]
        margins.append(points[side] - sum(rivals) / len(rivals))
    return sum(margins) / len(margins)


def lower_bound(advantages: list[float]) -> float:
    """A bound that the true mean exceeds but for one chance in 30,000."""
    return mean(advantages) - 4 * stdev(advantages) / sqrt(len(advantages))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_club_beats_novice(players: int) -> None:
    assert lower_bound([advantage(players, deal) for deal in range(DEALS)]) > 0.5


@pytest.mark.parametrize(
    "rules",
    [
        {"auction": "single_round", "all_pass": "redeal"},
        {"auction": "reopen", "no_trump": "high_low"},
        {"pepper_alone": True, "first_lead": "left_of_dealer"},
        {"set_penalty": "bid", "no_trump": "off"},
    ],
)
def test_club_beats_novice_under_house_rules(rules: dict[str, str | bool]) -> None:
    assert lower_bound([advantage(4, deal, **rules) for deal in range(DEALS)]) > 0.3
