"""The checker finds what it is there to find, in a real game that is spoilt on purpose."""

from copy import deepcopy
from random import Random
from typing import Any

import pytest

from events.memory_store import MemoryEventStore
from events.vocabulary import PlayerId
from service.game.commands import CreateGame, SeatWish, TakeSeat
from service.game.decide import legal_actions
from service.game.position import Position
from service.game.state import is_over, seat_to_act
from service.table import Table
from service.views.replay_view import replay
from service.views.seat_view import legal_bodies
from tests.chaos.checker import findings, longest_wait_for_bot, steps
from tests.chaos.client import Asked

ANA, BEN = PlayerId("p_ana"), PlayerId("p_ben")


class Played:
    """A game of two persons: its public replay, and what they asked."""

    def __init__(self) -> None:
        table, chance = Table(MemoryEventStore()), Random(1)
        asked: list[Asked] = []
        position = _begun(table)
        while not is_over(position.game):
            seat = seat_to_act(position.game)
            assert seat is not None
            at = chance.randrange(len(legal_actions(position.game)))
            body: dict[str, Any] = {**legal_bodies(position.game)[at]}
            request = Asked(position.id, (ANA, BEN)[seat], body, position.version, len(asked))
            outcome = table.act(position.id, legal_actions(position.game)[at])
            assert isinstance(outcome, Position)
            position = outcome
            request.status, request.version = 200, position.version
            request.answered = len(asked) + 0.5
            asked.append(request)
        self.asked = asked
        log = table.log(position.id)
        self.replay: dict[str, Any] = deepcopy({**replay(log, position, None)})

    def kinds(self) -> set[str]:
        """What kinds of things the checker finds."""
        return {finding.kind for finding in findings(self.replay, self.asked)}

    def without(self, at: int) -> None:
        """The log as if an event had never come."""
        del self.replay["events"][at]
        self._number()

    def again(self, at: int) -> None:
        """The log as if an event had come twice."""
        self.replay["events"].insert(at + 1, deepcopy(self.replay["events"][at]))
        self._number()

    def swapped(self, at: int) -> None:
        """The log as if two events had come the other way round."""
        events = self.replay["events"]
        events[at], events[at + 1] = events[at + 1], events[at]
        self._number()

    def _number(self) -> None:
        for version, event in enumerate(self.replay["events"], 1):
            event["version"] = version


def _begun(table: Table) -> Position:
    wishes = (SeatWish("me"), SeatWish("open"))
    created = table.create(CreateGame(ANA, 2, wishes, {"target_score": 1}, now=table.now()))
    assert isinstance(created, Position)
    begun = table.act(created.id, TakeSeat(BEN, None, now=table.now(), is_bot=False))
    assert isinstance(begun, Position)
    return begun


@pytest.fixture
def played() -> Played:
    return Played()


def action_at(played: Played, number: int) -> int:
    """Where in the log's events an action of a person is."""
    return steps(played.replay)[number].version - 1


def test_an_honest_log_has_no_findings(played: Played) -> None:
    assert len(played.asked) > 20
    assert played.kinds() == set()


@pytest.mark.parametrize("number", [0, 5, -1])
def test_a_lost_action_is_found(played: Played, number: int) -> None:
    played.without(action_at(played, number))
    assert "lost" in played.kinds()


@pytest.mark.parametrize("number", [0, 5, -1])
def test_a_doubled_action_is_found(played: Played, number: int) -> None:
    played.again(action_at(played, number))
    assert "doubled" in played.kinds()


def test_two_actions_that_changed_places_are_found(played: Played) -> None:
    played.swapped(action_at(played, -2))
    assert played.kinds() >= {"lost", "doubled"}


def test_an_order_other_than_that_of_the_answers_is_found(played: Played) -> None:
    first, second = played.asked[3:5]
    for each in ("sent", "answered"):
        one, other = getattr(first, each), getattr(second, each)
        setattr(first, each, other)
        setattr(second, each, one)
    assert played.kinds() == {"reordered"}


def test_an_action_that_nobody_asked_for_is_found(played: Played) -> None:
    del played.asked[7]
    assert played.kinds() == {"doubled"}


def test_an_unanswered_request_may_have_been_done_once_and_not_twice(played: Played) -> None:
    last = played.asked[-1]
    last.status = last.version = None
    assert played.kinds() == set()
    played.again(action_at(played, -1))
    assert played.kinds() == {"doubled"}


def test_a_refused_request_that_was_done_all_the_same_is_found(played: Played) -> None:
    played.asked[-1].status = 409
    assert played.kinds() == {"doubled"}


def test_a_gap_is_found(played: Played) -> None:
    del played.replay["events"][4]
    assert "gap" in played.kinds()


def test_an_action_done_at_another_version_than_it_named_is_found(played: Played) -> None:
    played.asked[4].if_match = 3
    assert played.kinds() == {"lost", "doubled"}


def test_the_longest_wait_is_before_a_bots_event() -> None:
    assert longest_wait_for_bot([(0, False), (900, False), (1000, True), (1300, True)]) == 300
    assert longest_wait_for_bot([(0, False)]) == 0
