"""Feeds reach every follower at least once and in order, whatever dies."""

import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from events.catalogue import GameStarted, Passed
from events.feed import LONGEST_WAIT_MS, Feed
from events.redis_store import RedisEventStore, feed_key
from events.store import NO_ENTRIES, Entry, Head
from events.vocabulary import Cause, GameId, Seat
from tests.conftest import client_of

ONE, TWO = GameId("g_0oneoneoneoneone1"), GameId("g_ftwotwotwotwotwo2")


def fill(client: Redis) -> None:
    store = RedisEventStore(client)
    for game in (ONE, TWO):
        store.append(game, NO_ENTRIES, b"command1", [Entry(Cause.SYSTEM, GameStarted())])
        store.append(game, Head(1, b"command1"), b"command2", [Entry(Cause.BOT, Passed(Seat(0)))])


def seen(feed: Feed) -> set[tuple[str, int]]:
    return {(entry.game, entry.version) for entry in feed.take(block_ms=10)}


def end_leases(client: Redis) -> None:
    for key in client.scan_iter("*lease*"):
        client.delete(key)


ALL = {(ONE, 1), (ONE, 2), (TWO, 1), (TWO, 2)}


def test_a_new_follower_starts_at_the_beginning_and_done_is_done(redis_client: Redis) -> None:
    fill(redis_client)
    feed = Feed(redis_client, redis_client, "bots", "me")
    entries = feed.take(block_ms=10)
    assert [entry.version for entry in entries if entry.game == ONE] == [1, 2]
    feed.done(entries)
    assert seen(feed) == set()


def test_what_was_taken_but_not_done_comes_again_to_the_next_owner(redis_client: Redis) -> None:
    fill(redis_client)
    first = Feed(redis_client, redis_client, "bots", "first")
    assert seen(first) == ALL
    assert seen(first) == ALL
    first.release()
    assert seen(Feed(redis_client, redis_client, "bots", "second")) == ALL


def test_two_owners_never_share_a_shard(redis_client: Redis) -> None:
    fill(redis_client)
    first = Feed(redis_client, redis_client, "bots", "first")
    entries = first.take(block_ms=10)
    second = Feed(redis_client, redis_client, "bots", "second")
    assert seen(second) == set()
    second.done(entries)
    assert seen(first) == ALL
    first.done(entries)
    assert seen(first) == set()


def test_who_lost_the_lease_cannot_move_the_cursor(redis_client: Redis) -> None:
    fill(redis_client)
    slow = Feed(redis_client, redis_client, "bots", "slow")
    entries = slow.take(block_ms=10)
    end_leases(redis_client)
    quick = Feed(redis_client, redis_client, "bots", "quick")
    assert seen(quick) == ALL
    slow.done(entries)
    assert seen(quick) == ALL


def test_work_that_outlasts_its_lease_is_done_if_nobody_else_did_it(redis_client: Redis) -> None:
    fill(redis_client)
    slow = Feed(redis_client, redis_client, "bots", "slow")
    entries = slow.take(block_ms=10)
    end_leases(redis_client)
    slow.done(entries)
    assert seen(slow) == set()
    assert seen(Feed(redis_client, redis_client, "bots", "quick")) == set()


@pytest.mark.parametrize("asks_first", [False, True])
def test_who_gets_a_shard_back_goes_on_where_the_other_stopped(
    redis_client: Redis, *, asks_first: bool
) -> None:
    fill(redis_client)
    slow = Feed(redis_client, redis_client, "bots", "slow")
    entries = slow.take(block_ms=10)
    end_leases(redis_client)
    quick = Feed(redis_client, redis_client, "bots", "quick")
    quick.done(quick.take(block_ms=10))
    quick.release()
    slow._renewed_at = float("-inf")
    if not asks_first:
        slow.done(entries[:1])
    assert seen(slow) == set()


def test_followers_of_other_names_have_their_own_cursor(redis_client: Redis) -> None:
    fill(redis_client)
    bots = Feed(redis_client, redis_client, "bots", "me")
    bots.done(bots.take(block_ms=10))
    assert seen(Feed(redis_client, redis_client, "lobby", "me")) == ALL


def test_trimming_keeps_what_the_slowest_needs(redis_client: Redis) -> None:
    fill(redis_client)
    bots = Feed(redis_client, redis_client, "bots", "me")
    lobby = Feed(redis_client, redis_client, "lobby", "me")
    lobby.take(block_ms=10)
    bots.done(bots.take(block_ms=10))
    bots.trim()
    entries = lobby.take(block_ms=10)
    assert {(entry.game, entry.version) for entry in entries} == ALL
    lobby.done(entries)
    bots.trim()
    assert redis_client.xlen(feed_key("0")) == 1


def test_no_wait_is_no_wait(redis_client: Redis) -> None:
    assert Feed(redis_client, redis_client, "bots", "me").take(block_ms=0) == []


def test_a_long_wait_outlasts_neither_the_lease_nor_the_client(redis_url: str) -> None:
    timeout = (LONGEST_WAIT_MS + 500) / 1000
    with Redis.from_url(redis_url, socket_timeout=timeout, retry=Retry(NoBackoff(), 0)) as client:
        assert Feed(client, client, "bots", "me").take(block_ms=60_000) == []


def test_a_wait_ends_when_something_happens(redis_url: str, redis_client: Redis) -> None:
    with client_of(redis_url) as blocking:
        feed = Feed(redis_client, blocking, "bots", "me")
        assert feed.take(block_ms=20) == []
        fill(redis_client)
        assert seen(feed) == ALL
