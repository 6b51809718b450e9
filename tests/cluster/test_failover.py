"""A master dies. Writes go on within seconds, and what died with it is nobody's memory any more."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from redis.exceptions import RedisError

from events.feed import Feed
from events.redis_store import log_key
from events.vocabulary import Cause
from service.game.commands import AbortGame
from service.game.position import Position
from service.live.watch import Gone
from service.wiring import Services, blocking_client, services
from tests.cluster.conftest import settings_over
from tests.e2e.running import eventually
from tests.workers.tables import HOST, act_for_host, position_of, waiting_for_host
from tools.cluster import Cluster, Node

WRITES_AGAIN = 4.0
"""Seconds, of which the cluster's own time-out is 1.5."""


@pytest.fixture
def mine(short_lived_cluster: Cluster) -> Iterator[Services]:
    made = services(settings_over(short_lived_cluster))
    yield made
    made.dismiss()
    made.client.close()


def stop_copying(master: Node, replica: Node) -> None:
    """Let a replica miss whatever comes now: it stands still, and its link is cut."""
    os.kill(replica.process.pid, signal.SIGSTOP)
    master.client.client_kill_filter(_type="replica")


def fail_over(master: Node, replica: Node) -> None:
    """Kill a master and wait until its replica has taken its place."""
    master.kill()
    os.kill(replica.process.pid, signal.SIGCONT)
    eventually(lambda: replica.is_master, "the replica's promotion")


def until_it_answers(ask: Callable[[], Position]) -> Position:
    """What is answered once the store is there again."""
    answers: list[Position] = []

    def is_answered() -> bool:
        with suppress(RedisError):
            answers.append(ask())
        return bool(answers)

    eventually(is_answered, "an answer")
    return answers[0]


def games_in(feed: Feed) -> set[str]:
    with suppress(RedisError):
        return {entry.game for entry in feed.take(100)}
    return set()


def test_writes_go_on_within_seconds(short_lived_cluster: Cluster, mine: Services) -> None:
    position = waiting_for_host(mine.table)
    feed = Feed(mine.client, blocking_client(mine.settings), "bots", "me")
    feed.done(feed.take(10))
    master, _replica = short_lived_cluster.pair_of(log_key(position.id))
    master.kill()
    began = time.monotonic()
    until_it_answers(lambda: act_for_host(mine.table, position))
    assert time.monotonic() - began < WRITES_AGAIN
    assert len(mine.table.log(position.id)) > position.version
    eventually(lambda: position.id in games_in(feed), "the feed's news")


def test_a_lost_tail_is_forgotten_and_not_written_on(
    short_lived_cluster: Cluster, mine: Services
) -> None:
    """A process has acted, told its streams and followed its feed: all of it goes back."""
    before = waiting_for_host(mine.table)
    other = services(mine.settings)
    feed = Feed(mine.client, blocking_client(mine.settings), "bots", "me")
    feed.done(feed.take(10))
    pair = short_lived_cluster.pair_of(log_key(before.id))
    stop_copying(*pair)
    lost = position_of(act_for_host(mine.table, before))
    watch = mine.hub.watch(before.id, None)
    assert (watch.since, mine.table.look(before.id)) == (lost.version, lost)
    entries = feed.take(10)
    assert {entry.game for entry in entries} == {before.id}
    feed.done(entries)
    fail_over(*pair)

    now = until_it_answers(
        lambda: position_of(mine.table.act(before.id, AbortGame(HOST), cause=Cause.PLAYER))
    )
    assert now.head == until_it_answers(lambda: other.table.look(before.id)).head
    log = mine.table.log(before.id)
    assert [entry.version for entry in log] == [*range(1, len(log) + 1)]
    assert lost.head.command_id not in {entry.command_id for entry in log}
    assert (log[-1].version, log[-1].command_id) == now.head
    frame = watch.next(10)
    assert isinstance(frame, Gone)
    assert frame.reason == "reset"
    eventually(lambda: before.id in games_in(feed), "the feed's news, none skipped")
