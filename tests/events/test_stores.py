"""Every store keeps the same promises: one contract, run on memory, Valkey and Debian's Redis."""

import contextlib
from collections.abc import Iterator

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as Unreachable

from events.memory_store import MemoryEventStore
from events.redis_store import RedisEventStore, feed_key
from events.store import NO_ENTRIES, EventStore, Head
from tests.conftest import client_of
from tests.events.answer_eater import AnswerEater
from tests.events.store_contract import (
    FIRST,
    GAME,
    PASSED,
    PLAYED,
    SECOND,
    STARTED,
    RedisContract,
    StoreContract,
)


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def store(self) -> EventStore:
        return MemoryEventStore()


class TestValkeyStore(RedisContract):
    @pytest.fixture
    def client(self, redis_client: Redis) -> Redis:
        return redis_client


class TestDebianRedisStore(RedisContract):
    @pytest.fixture
    def client(self, debian_url: str) -> Iterator[Redis]:
        with client_of(debian_url) as client:
            client.flushall()
            yield client


@contextlib.contextmanager
def eating(valkey_url: str, answers: int) -> Iterator[RedisEventStore]:
    """A store whose first answers to an append get lost on the way."""
    with client_of(valkey_url) as direct:
        direct.script_load(RedisEventStore(direct)._script.script)
    eater = AnswerEater(valkey_url.removeprefix("unix://"), answers)
    try:
        with client_of(f"redis://127.0.0.1:{eater.port}") as client:
            yield RedisEventStore(client)
    finally:
        eater.close()


def test_a_lost_answer_is_recognised_and_not_doubled(redis_url: str, redis_client: Redis) -> None:
    direct = RedisEventStore(redis_client)
    with eating(redis_url, answers=1) as store:
        assert store.append(GAME, NO_ENTRIES, FIRST, [STARTED, PASSED]).version == 2
    assert [entry.event for entry in direct.read(GAME)] == [STARTED.event, PASSED.event]
    with eating(redis_url, answers=1) as store:
        assert store.append(GAME, Head(2, FIRST), SECOND, [PLAYED]).version == 3
    assert len(direct.read(GAME)) == 3
    assert redis_client.xlen(feed_key("3")) == 2


def test_who_hears_nothing_twice_is_told_and_may_ask_again(
    redis_url: str, redis_client: Redis
) -> None:
    with eating(redis_url, answers=2) as store:
        with pytest.raises(Unreachable):
            store.append(GAME, NO_ENTRIES, FIRST, [STARTED])
        assert store.append(GAME, NO_ENTRIES, FIRST, [STARTED]).version == 1
    assert len(RedisEventStore(redis_client).read(GAME)) == 1
