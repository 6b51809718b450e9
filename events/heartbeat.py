"""When the service was there for its players: a beat a second, and the gaps between beats."""

import logging
from typing import NamedTuple, cast

from redis import Redis
from redis.exceptions import RedisError

from events.vocabulary import SHARDS

BEAT_SECONDS = 1.0
LONGEST_GAP = 3000
"""Milliseconds between two beats up to which the service counts as there."""

KEPT_FOR = 15 * 24 * 3600 * 1000
"""Milliseconds for which outages are remembered: longer than two of the longest turns."""

log = logging.getLogger(__name__)
_BEAT = """
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local last = tonumber(redis.call('GET', KEYS[1]) or now)
if now - last > tonumber(ARGV[1]) then
  redis.call('ZADD', KEYS[2], now, string.format('%d-%d', last, now))
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - tonumber(ARGV[2]))
end
redis.call('SET', KEYS[1], math.max(now, last))
"""


class Outage(NamedTuple):
    """A time for which nobody could act, in milliseconds since 1970."""

    began: int
    ended: int


class Heartbeat:
    """The beats of all web processes together, kept in every shard."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._beat = client.register_script(_BEAT)

    def beat(self) -> None:
        """Say that the service is there; a gap before this is remembered as an outage."""
        with self._client.pipeline(transaction=False) as asked:
            for shard in SHARDS:
                keys = [_beat_key(shard), _outages_key(shard)]
                self._beat(keys, [LONGEST_GAP, KEPT_FOR], client=asked)
            asked.execute()

    def beat_or_miss(self) -> None:
        """Beat, unless the store is away: then there is nothing that could be said."""
        try:
            self.beat()
        except RedisError as fault:
            log.warning("no heartbeat: %s", type(fault).__name__)

    def is_fresh(self, shard: str, now: int) -> bool:
        """Whether the service is there now, which is the store's time."""
        last = cast(bytes | None, self._client.get(_beat_key(shard)))
        return last is not None and now - int(last) <= LONGEST_GAP

    def away(self, shard: str, since: int, until: int) -> int:
        """For how many milliseconds between two times the service was away."""
        found = cast(list[bytes], self._client.zrangebyscore(_outages_key(shard), since, "+inf"))
        outages = [Outage(*map(int, each.split(b"-"))) for each in found]
        return sum(
            max(0, min(outage.ended, until) - max(outage.began, since)) for outage in outages
        )


def _beat_key(shard: str) -> str:
    return f"pepper:{{{shard}}}:beat"


def _outages_key(shard: str) -> str:
    return f"pepper:{{{shard}}}:outages"
