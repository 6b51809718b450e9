"""Wake-ups over a real server: a bell a message, and again after the server was away."""

import queue
import time
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from redis import Redis
from redis.connection import Connection

from service.live.wakeups import Wakeups
from tests.conftest import FAST, client_of
from tests.servers import running_server, valkey

CHANNEL = "pepper:{0}:live:g_0game"
Bells = queue.SimpleQueue[str]


@pytest.fixture
def bells() -> Bells:
    return queue.SimpleQueue()


@pytest.fixture
def wakeups(redis_client: Redis, bells: Bells) -> Iterator[Wakeups]:
    made = Wakeups(redis_client, bells.put)
    yield made
    made.close()


def test_the_bell_rings_when_it_listens_and_at_each_message(
    wakeups: Wakeups, bells: Bells, redis_client: Redis
) -> None:
    wakeups.listen(CHANNEL)
    assert bells.get(timeout=10) == CHANNEL
    for _ in range(3):
        redis_client.spublish(CHANNEL, "1")
        assert bells.get(timeout=10) == CHANNEL


def test_what_is_ignored_rings_no_more(wakeups: Wakeups, bells: Bells, redis_client: Redis) -> None:
    other = "pepper:{0}:live:g_0other"
    for channel in (CHANNEL, other):
        wakeups.listen(channel)
        assert bells.get(timeout=10) == channel
    wakeups.ignore(CHANNEL)
    while redis_client.spublish(CHANNEL, "1"):
        time.sleep(0.01)
    while not bells.empty():
        bells.get()
    redis_client.spublish(other, "1")
    assert bells.get(timeout=10) == other


def test_after_the_server_was_away_every_channel_is_heard_again(
    bells: Bells, server_folder: Path
) -> None:
    folder = server_folder / "w"
    channels = [CHANNEL, "pepper:{1}:live:g_1game"]
    with running_server(valkey(), folder, *FAST) as url:
        client = client_of(url)
        wakeups = Wakeups(client, bells.put)
        for channel in channels:
            wakeups.listen(channel)
        assert {bells.get(timeout=10), bells.get(timeout=10)} == {*channels}
    time.sleep(2.5)
    with running_server(valkey(), folder, *FAST), client:
        heard = {bells.get(timeout=10), bells.get(timeout=10)}
        assert heard == {*channels}
        assert client.spublish(CHANNEL, "1") == 1
        wakeups.close()


def test_a_channel_asked_for_while_the_server_is_away_is_heard_when_it_is_back(
    bells: Bells, server_folder: Path
) -> None:
    folder = server_folder / "a"
    with running_server(valkey(), folder, *FAST) as url:
        client = client_of(url)
    wakeups = Wakeups(client, bells.put)
    wakeups.listen(CHANNEL)
    with running_server(valkey(), folder, *FAST), client:
        assert bells.get(timeout=10) == CHANNEL
        assert client.spublish(CHANNEL, "1") == 1
        wakeups.close()


def test_it_hears_on_when_its_connection_is_closed_under_it(
    wakeups: Wakeups, bells: Bells, redis_client: Redis
) -> None:
    wakeups.listen(CHANNEL)
    assert bells.get(timeout=10) == CHANNEL
    assert wakeups._pubsub is not None
    cast(Connection, wakeups._pubsub.connection).disconnect()  # type: ignore[no-untyped-call]
    assert bells.get(timeout=10) == CHANNEL
    assert redis_client.spublish(CHANNEL, "1") == 1
    assert bells.get(timeout=10) == CHANNEL


def test_closed_it_gives_its_connection_back(redis_client: Redis, bells: Bells) -> None:
    wakeups = Wakeups(redis_client, bells.put)
    wakeups.listen(CHANNEL)
    bells.get(timeout=10)
    wakeups.close()
    deadline = time.monotonic() + 10
    while redis_client.pubsub_shardnumsub(CHANNEL) != [(CHANNEL.encode(), 0)]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    wakeups.listen(CHANNEL)
    wakeups.ignore(CHANNEL)
