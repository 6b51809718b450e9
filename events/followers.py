"""How the followers of the feeds are: who holds leases, and how far behind they are."""

from typing import NamedTuple, cast

from redis import Redis

from events.feed import cursors_key, order
from events.leases import lease_key
from events.redis_store import feed_key
from events.vocabulary import SHARDS


class FollowerState(NamedTuple):
    """How many shards a follower has the lease of, and how old its oldest undone append is."""

    shards: int
    lag_ms: int


def follower_states(client: Redis, now: int) -> dict[str, FollowerState]:
    """Every follower that ever took part, by name; `now` is the store's time."""
    cursors = _cursors(client)
    names = sorted({name for of_shard in cursors.values() for name in of_shard})
    held = shards_held(client, names)
    undone = _oldest_undone(client, cursors)
    return {
        name: FollowerState(held[name], max((now - at for at in undone.get(name, ())), default=0))
        for name in names
    }


def _cursors(client: Redis) -> dict[str, dict[str, bytes]]:
    with client.pipeline(transaction=False) as asked:
        for shard in SHARDS:
            asked.hgetall(cursors_key(shard))
        answers = asked.execute()
    return {
        shard: {name.decode(): cursor for name, cursor in of_shard.items()}
        for shard, of_shard in zip(SHARDS, answers, strict=True)
    }


def shards_held(client: Redis, names: list[str]) -> dict[str, int]:
    """On how many shards somebody has the lease of each of these works."""
    with client.pipeline(transaction=False) as asked:
        for name in names:
            for shard in SHARDS:
                asked.exists(lease_key(shard, name))
        answers = asked.execute()
    return {
        name: sum(answers[at * len(SHARDS) : (at + 1) * len(SHARDS)])
        for at, name in enumerate(names)
    }


def _oldest_undone(client: Redis, cursors: dict[str, dict[str, bytes]]) -> dict[str, list[int]]:
    """By follower, the times of the first append of each shard that it has not done."""
    places = [(shard, name) for shard, of_shard in cursors.items() for name in of_shard]
    with client.pipeline(transaction=False) as asked:
        for shard, name in places:
            asked.xrange(feed_key(shard), f"({cursors[shard][name].decode()}", "+", count=1)
        answers = asked.execute()
    undone: dict[str, list[int]] = {}
    for (_shard, name), entries in zip(places, answers, strict=True):
        for entry_id, _fields in cast(list[tuple[bytes, object]], entries):
            undone.setdefault(name, []).append(order(entry_id)[0])
    return undone
