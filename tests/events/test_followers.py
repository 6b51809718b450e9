"""What the feeds tell of their followers: which shards are followed, how old the undone is."""

import time

from redis import Redis

from events.feed import Feed
from events.followers import FollowerState, follower_states
from events.redis_store import RedisEventStore, feed_key
from events.vocabulary import SHARDS


def states(client: Redis) -> dict[str, FollowerState]:
    return follower_states(client, RedisEventStore(client).now())


def append(client: Redis, shard: str) -> None:
    client.xadd(feed_key(shard), {"g": f"g_{shard}game", "v": 1, "c": "P"})


def test_nobody_has_followed(redis_client: Redis) -> None:
    append(redis_client, "0")
    assert states(redis_client) == {}


def test_who_has_done_all_is_not_behind(redis_client: Redis) -> None:
    feed = Feed(redis_client, redis_client, "bots", "me")
    append(redis_client, "0")
    feed.done(feed.take(0))
    assert states(redis_client) == {"bots": FollowerState(len(SHARDS), 0)}


def test_the_oldest_undone_append_of_any_shard_counts(redis_client: Redis) -> None:
    Feed(redis_client, redis_client, "bots", "me").take(0)
    append(redis_client, "3")
    time.sleep(0.05)
    append(redis_client, "0")
    time.sleep(0.05)
    assert states(redis_client)["bots"].lag_ms >= 100


def test_who_has_let_go_follows_nothing(redis_client: Redis) -> None:
    feed = Feed(redis_client, redis_client, "bots", "me")
    feed.take(0)
    feed.release()
    Feed(redis_client, redis_client, "lobby", "me").take(0)
    assert {name: state.shards for name, state in states(redis_client).items()} == {
        "bots": 0,
        "lobby": len(SHARDS),
    }
