"""Events that cannot follow what is before them are loud, and nothing else than CorruptLog."""

from dataclasses import replace

import pytest

from events.catalogue import (
    BidMade,
    CardPlayed,
    Event,
    GameAborted,
    GameCreated,
    GameStarted,
    Passed,
    SeatTaken,
    TrumpNamed,
)
from events.vocabulary import Bid, Card, Seat, Trump
from service.game.evolve import CorruptLog, evolve
from tests.scenario import ALICE, founded, given

FOUNDED = founded(4)
CREATED = FOUNDED[0]
OUT_OF_TURN = Seat((FOUNDED[-1].dealer + 2) % 4)  # type: ignore[union-attr]  # a deal


@pytest.mark.parametrize(
    "event",
    [
        GameStarted(),
        FOUNDED[-1],
        Passed(OUT_OF_TURN),
        BidMade(OUT_OF_TURN, Bid.ONE),
        TrumpNamed(Seat(0), Trump.CLUBS),
        CardPlayed(Seat(0), Card.ACE_CLUBS),
        SeatTaken(Seat(9), ALICE),
        CREATED,
    ],
)
def test_what_cannot_follow_a_deal(event: Event) -> None:
    with pytest.raises(CorruptLog):
        given(*FOUNDED, event)


def test_a_log_begins_with_its_creation() -> None:
    with pytest.raises(CorruptLog):
        evolve(None, GameAborted())


@pytest.mark.parametrize(
    "rules", [{"target_score": 0}, {"auction": "silent"}, {"tempo": 3}, {"tie": 7}]
)
def test_rules_that_nobody_can_play(rules: dict[str, str | int | bool]) -> None:
    assert isinstance(CREATED, GameCreated)
    with pytest.raises(CorruptLog):
        evolve(None, replace(CREATED, rules=rules))
