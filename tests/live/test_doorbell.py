"""A player's notices as they come: each once, in order, whatever happens to the bell."""

from collections.abc import Iterator

import orjson
import pytest
from redis import Redis
from redis.exceptions import ConnectionError as Unreachable

from events.redis_store import RedisEventStore
from service.game.position import Position
from service.live import bells as bells_module
from service.live.bells import Bells, Ear
from service.live.doorbell import Doorbell, Rung
from service.live.watch import Gone
from service.projections.inbox import KEPT, NOTHING, Inbox
from service.table import Table
from tests.workers.tables import HOST, waiting_for_host

LONG = 30.0


@pytest.fixture
def bells(redis_client: Redis) -> Iterator[Bells]:
    made = Bells(redis_client)
    yield made
    made.close()


@pytest.fixture
def ear(bells: Bells) -> Ear:
    return bells.hear(HOST)


@pytest.fixture
def inbox(redis_client: Redis) -> Inbox:
    return Inbox(redis_client)


@pytest.fixture
def game(redis_client: Redis) -> Position:
    return waiting_for_host(Table(RedisEventStore(redis_client)))


def ring(inbox: Inbox, game: Position, times: int = 1, first: int = 0) -> None:
    """The host's turn comes again and again."""
    for number in range(first, first + times):
        inbox.record(HOST, game._replace(version=game.version + number))


def versions(doorbell: Doorbell, number: int, patience: float = LONG) -> list[int]:
    """The versions of the next notices."""
    told: list[int] = []
    while len(told) < number:
        item = doorbell.next(patience)
        if isinstance(item, Rung):
            assert orjson.loads(item.json)["id"] == item.id
            told.append(orjson.loads(item.json)["version"])
        else:
            assert item is None
    return told


def test_notices_come_in_order_each_once(inbox: Inbox, ear: Ear, game: Position) -> None:
    doorbell = Doorbell(inbox, ear, NOTHING)
    for first, burst in ((0, 1), (1, 5), (6, 1)):
        ring(inbox, game, burst, first)
        assert versions(doorbell, burst) == [game.version + first + n for n in range(burst)]
    assert doorbell.next(0.2) is None


def test_who_resumes_hears_only_what_followed(inbox: Inbox, ear: Ear, game: Position) -> None:
    ring(inbox, game, 4)
    first = inbox.after(HOST, NOTHING)[1].id
    assert versions(Doorbell(inbox, ear, first), 2) == [game.version + 2, game.version + 3]


def test_a_lost_ring_costs_some_seconds(
    inbox: Inbox, ear: Ear, game: Position, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bells_module, "LOST_RING", 0.2)
    monkeypatch.setattr(ear, "ring", lambda: None)
    doorbell = Doorbell(inbox, ear, NOTHING)
    ring(inbox, game, 2)
    assert len(versions(doorbell, 2)) == 2


def test_what_is_not_kept_any_more_sends_the_listener_back(
    inbox: Inbox, ear: Ear, game: Position, redis_client: Redis
) -> None:
    ring(inbox, game, 2)
    doorbell = Doorbell(inbox, ear, NOTHING)
    versions(doorbell, 2)
    ring(inbox, game, KEPT + 300, 2)
    assert doorbell.next(LONG) == Gone("reset")
    doorbell = Doorbell(inbox, ear, inbox.latest(HOST))
    inbox.forget(HOST)
    ear.ring()
    assert doorbell.next(LONG) == Gone("reset")


def test_while_the_store_is_away_nothing_comes_and_nothing_is_lost(
    inbox: Inbox, ear: Ear, game: Position, monkeypatch: pytest.MonkeyPatch
) -> None:
    doorbell = Doorbell(inbox, ear, NOTHING)
    ring(inbox, game, 2)

    def away(*_asked: object) -> None:
        raise Unreachable

    with monkeypatch.context() as patch:
        patch.setattr(inbox, "after", away)
        ear.ring()
        assert doorbell.next(LONG) is None
    assert len(versions(doorbell, 2, 0.1)) == 2


def test_a_process_that_ends_sends_its_listeners_away(inbox: Inbox, ear: Ear, bells: Bells) -> None:
    doorbell = Doorbell(inbox, ear, NOTHING)
    bells.close()
    assert doorbell.next(LONG) == Gone("closing")
