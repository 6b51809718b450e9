"""Who does a named work on a shard: leases that run out by themselves when their owner dies."""

import time
from collections.abc import Callable

from redis import Redis

from events.vocabulary import SHARDS

LEASE_MS = 1500
RENEWED_EACH = LEASE_MS / 3000
"""Seconds between two renewals."""

_RENEW = """
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""
RELEASE = """
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
"""


def lease_key(shard: str, work: str) -> str:
    """The key that says which owner does a work on a shard."""
    return f"pepper:{{{shard}}}:lease:{work}"


class Leases:
    """The shards on which an owner does a work. What it does must be harmless if done twice."""

    def __init__(
        self,
        client: Redis,
        work: str,
        owner: str,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._work, self._owner, self._monotonic = work, owner, monotonic
        self._client = client
        self._renew = client.register_script(_RENEW)
        self._release = client.register_script(RELEASE)
        self._held: frozenset[str] = frozenset()
        self._renewed_at = float("-inf")

    def held(self) -> frozenset[str]:
        """The shards held now; free ones are taken, and held ones renewed in time."""
        if self._monotonic() - self._renewed_at >= RENEWED_EACH:
            renewed_at = self._monotonic()
            with self._client.pipeline(transaction=False) as asked:
                for shard in SHARDS:
                    keys = [lease_key(shard, self._work)]
                    self._renew(keys, [self._owner, LEASE_MS], client=asked)
                answers = asked.execute()
            self._held = frozenset(
                shard for shard, is_held in zip(SHARDS, answers, strict=True) if is_held
            )
            self._renewed_at = renewed_at
        return self._held

    def release(self) -> None:
        """Give all back, so that another owner need not wait for them."""
        for shard in self._held:
            self._release([lease_key(shard, self._work)], [self._owner])
        self._held, self._renewed_at = frozenset(), float("-inf")
