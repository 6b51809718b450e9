"""Players' bells: rung anywhere, heard by who listens to that player; a lost one costs seconds."""

import threading
import time
from collections.abc import Iterator

import pytest
from redis import Redis

from events.vocabulary import PlayerId
from service.live import bells as bells_module
from service.live.bells import Bells, Ear
from service.projections.inbox import bell_channel
from tests.scenario import ALICE, BOB

LONG = 30.0


@pytest.fixture
def bells(redis_client: Redis) -> Iterator[Bells]:
    made = Bells(redis_client)
    yield made
    made.close()


def ring(client: Redis, player: PlayerId) -> None:
    client.spublish(bell_channel(player), "")


def channels(client: Redis) -> set[bytes | str]:
    return set(client.pubsub_shardchannels())


def until_heard(client: Redis, ear: Ear) -> None:
    """Until the listener is sure to hear: the bell rings once when it does."""
    ear.wait(LONG)
    assert bell_channel(ear.player).encode() in channels(client)


def waits(ear: Ear, seconds: float) -> float:
    began = time.monotonic()
    ear.wait(seconds)
    return time.monotonic() - began


@pytest.fixture(autouse=True)
def _no_look_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bells_module, "LOST_RING", LONG)


def test_who_listens_is_woken(bells: Bells, redis_client: Redis) -> None:
    ear = bells.hear(ALICE)
    until_heard(redis_client, ear)
    ringer = threading.Timer(0.2, ring, (redis_client, ALICE))
    ringer.start()
    assert waits(ear, LONG) < LONG / 2
    ringer.join()


def test_a_ring_before_the_wait_is_not_lost(bells: Bells, redis_client: Redis) -> None:
    ears = [bells.hear(ALICE), bells.hear(ALICE)]
    until_heard(redis_client, ears[0])
    ring(redis_client, ALICE)
    for ear in ears:
        assert waits(ear, LONG) < LONG / 2


def test_another_players_bell_wakes_nobody(bells: Bells, redis_client: Redis) -> None:
    alice, bob = bells.hear(ALICE), bells.hear(BOB)
    until_heard(redis_client, alice)
    until_heard(redis_client, bob)
    ring(redis_client, BOB)
    assert waits(bob, LONG) < LONG / 2
    assert not alice.wait(0.5)


def test_one_subscription_serves_all_listeners_of_a_player(
    bells: Bells, redis_client: Redis
) -> None:
    ears = [bells.hear(ALICE) for _ in range(50)]
    until_heard(redis_client, ears[0])
    assert channels(redis_client) == {bell_channel(ALICE).encode()}
    for ear in ears[1:]:
        bells.leave(ear)
    assert (bells.listeners(), channels(redis_client)) == (1, {bell_channel(ALICE).encode()})
    bells.leave(ears[0])
    assert bells.listeners() == 0
    deadline = time.monotonic() + LONG
    while channels(redis_client) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert channels(redis_client) == set()


def test_a_bell_that_never_rings_is_looked_after(
    bells: Bells, monkeypatch: pytest.MonkeyPatch, redis_client: Redis
) -> None:
    monkeypatch.setattr(bells_module, "LOST_RING", 0.3)
    ear = bells.hear(ALICE)
    until_heard(redis_client, ear)
    assert waits(ear, LONG) < LONG / 2


def test_closing_sends_listeners_away_now_and_later(bells: Bells) -> None:
    ear = bells.hear(ALICE)
    bells.close()
    for one in (ear, bells.hear(BOB)):
        assert one.is_dismissed
        assert waits(one, LONG) < LONG / 2
