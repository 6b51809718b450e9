"""What a contract is worth on average: points by tricks, and how likely those are."""

from functools import lru_cache
from math import erf, sqrt
from typing import NamedTuple

from events.vocabulary import Bid
from service.rules.deck import CARDS_EACH
from service.rules.house_rules import HouseRules
from service.rules.scoring import points, tricks_owed

STEPS = 20
_SELDOM = 0.3


class Forecast(NamedTuple):
    """The tricks a declarer will take: on average in steps, their spread, and how many are sure."""

    steps: int
    spread: float
    sure: int = 0


def forecast(tricks: float, spread: float, sure: int = 0) -> Forecast:
    """A forecast of about so many tricks."""
    return Forecast(round(tricks * STEPS), spread, sure)


@lru_cache(maxsize=8192)
def chances(expected: Forecast, most: int) -> tuple[float, ...]:
    """How likely each number of tricks from 0 to `most` is."""
    mean = min(max(expected.steps / STEPS, _SELDOM), most - _SELDOM)
    deviation = expected.spread * sqrt(mean * (most - mean) / most)
    at_most = [0.5 + 0.5 * erf((taken + 0.5 - mean) / deviation / sqrt(2)) for taken in range(most)]
    possible = [0.0 if taken < expected.sure else chance for taken, chance in enumerate(at_most)]
    return tuple(
        here - below for below, here in zip([0.0, *possible], [*possible, 1.0], strict=True)
    )


@lru_cache(maxsize=4096)
def margins(bid: Bid, players: int, rules: HouseRules) -> tuple[float, ...]:
    """By tricks taken: the declarer's points for a contract less those of the average rival."""
    most = CARDS_EACH[players]
    return tuple(_margin(bid, taken, most - taken, players, rules) for taken in range(most + 1))


def _margin(bid: Bid, taken: int, lost: int, players: int, rules: HouseRules) -> float:
    rivals = 2 if players == 3 else 1
    earned = points(bid, 0, (taken, lost, 0)[: rivals + 1], players, rules)
    return earned[0] - sum(earned[1:]) / rivals


@lru_cache(maxsize=16384)
def worth(bid: Bid, expected: Forecast, players: int, rules: HouseRules) -> float:
    """The points over the average rival that a contract brings its declarer."""
    likely = chances(expected, CARDS_EACH[players])
    return sum(
        chance * margin for chance, margin in zip(likely, margins(bid, players, rules), strict=True)
    )


def chance_made(bid: Bid, expected: Forecast, players: int) -> float:
    """How likely it is that a contract is made."""
    return sum(chances(expected, CARDS_EACH[players])[tricks_owed(bid, players) :])
