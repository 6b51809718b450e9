"""Feeds reach every follower at least once and in order, whatever dies."""

from typing import cast

import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from events.catalogue import GameStarted, Passed
from events.feed import FORGOTTEN_AFTER, LONGEST_WAIT_MS, Feed, cursors_key, seen_key
from events.followers import follower_states
from events.redis_store import RedisEventStore, feed_key
from events.store import NO_ENTRIES, Entry, Head
from events.vocabulary import SHARDS, Cause, GameId, Seat
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


def be_absent(client: Redis, follower: str, milliseconds: int) -> None:
    """As if a follower had last had its leases so long ago."""
    seconds, _rest = client.time()
    for shard in SHARDS:
        client.hset(seen_key(shard), follower, int(seconds) * 1000 - milliseconds)


@pytest.mark.parametrize(("late", "forgotten"), [(-60_000, set()), (0, {"lobby"})])
def test_who_is_absent_for_a_week_is_forgotten(
    redis_client: Redis, late: int, forgotten: set[str]
) -> None:
    fill(redis_client)
    bots = Feed(redis_client, redis_client, "bots", "me")
    lobby = Feed(redis_client, redis_client, "lobby", "me")
    lobby.take(block_ms=10)
    bots.done(bots.take(block_ms=10))
    be_absent(redis_client, "lobby", FORGOTTEN_AFTER + late)
    assert bots.trim() == forgotten
    assert redis_client.xlen(feed_key("0")) == (1 if forgotten else 2)
    assert {*follower_states(redis_client, 0)} == {"bots", "lobby"} - forgotten


def test_who_comes_back_begins_with_what_is_left(redis_client: Redis) -> None:
    fill(redis_client)
    bots = Feed(redis_client, redis_client, "bots", "me")
    lobby = Feed(redis_client, redis_client, "lobby", "me")
    lobby.take(block_ms=10)
    lobby.release()
    bots.done(bots.take(block_ms=10))
    be_absent(redis_client, "lobby", FORGOTTEN_AFTER)
    bots.trim()
    assert seen(lobby) == {(ONE, 2), (TWO, 2)}
    assert bots.trim() == set()


def test_when_all_are_absent_nothing_is_dropped(redis_client: Redis) -> None:
    fill(redis_client)
    bots = Feed(redis_client, redis_client, "bots", "me")
    bots.take(block_ms=10)
    be_absent(redis_client, "bots", FORGOTTEN_AFTER)
    assert bots.trim() == {"bots"}
    assert redis_client.xlen(feed_key("0")) == 2


def test_one_of_an_earlier_version_is_absent_from_now_on(redis_client: Redis) -> None:
    fill(redis_client)
    bots = Feed(redis_client, redis_client, "bots", "me")
    bots.take(block_ms=10)
    redis_client.delete(*(seen_key(shard) for shard in SHARDS))
    assert bots.trim() == set()
    assert redis_client.hexists(seen_key("0"), "bots")


def test_the_slowest_is_found_by_number_not_by_spelling(redis_client: Redis) -> None:
    ids = [f"5-{number}" for number in range(12)]
    for entry_id in ids:
        redis_client.xadd(feed_key("0"), {"g": ONE, "v": 1, "c": "P"}, id=entry_id)
    redis_client.hset(cursors_key("0"), mapping={"bots": "5-10", "lobby": "5-9"})
    Feed(redis_client, redis_client, "bots", "me").trim()
    assert redis_client.xlen(feed_key("0")) == 3


def test_a_cursor_ahead_of_its_feed_begins_again(redis_client: Redis) -> None:
    """As when the feed lost its end, and what was appended then got lower ids than the cursor."""
    redis_client.hset(cursors_key("0"), "bots", "99999999999999-0")
    fill(redis_client)
    assert seen(Feed(redis_client, redis_client, "bots", "me")) == ALL


def test_a_memory_of_a_lost_end_is_given_up_and_nothing_is_skipped(redis_client: Redis) -> None:
    fill(redis_client)
    feed = Feed(redis_client, redis_client, "bots", "me")
    feed.done(feed.take(block_ms=10))
    kept = redis_client.dump(feed_key("0")), redis_client.dump(cursors_key("0"))
    store, later = RedisEventStore(redis_client), GameId("g_0threethreethree3")
    store.append(later, NO_ENTRIES, b"command1", [Entry(Cause.SYSTEM, GameStarted())])
    feed.done(feed.take(block_ms=10))
    feed._cursors["0"] = "99999999999999-0"
    for key, value in zip((feed_key("0"), cursors_key("0")), kept, strict=True):
        redis_client.restore(key, 0, cast(bytes, value), replace=True)
    entry = [Entry(Cause.BOT, Passed(Seat(1)))]
    store.append(later, Head(1, b"command1"), b"command2", entry)
    feed._renewed_at = float("-inf")
    assert seen(feed) == {(later, 2)}


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
