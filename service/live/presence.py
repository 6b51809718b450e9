"""Who listens to a game right now, in whatever process: marks that expire unless renewed."""

from redis import Redis

from events.redis_store import wake_channel
from events.vocabulary import GameId, PlayerId, shard_of

MARK_LASTS = 15_000
"""Milliseconds after which a mark that nobody renews is gone."""

_MARK = """
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local changed
if ARGV[2] == '0' then
  changed = redis.call('ZREM', KEYS[1], ARGV[1])
else
  changed = redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
  redis.call('PEXPIRE', KEYS[1], 2 * ARGV[2])
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if changed == 1 then redis.call('SPUBLISH', KEYS[2], 'online') end
"""
_MARKED = """
local clock = redis.call('TIME')
return redis.call('ZRANGEBYSCORE', KEYS[1], clock[1] * 1000 + math.floor(clock[2] / 1000), '+inf')
"""


def online_key(game: GameId) -> str:
    """The sorted set of a game's listening players, a member a stream, by when each expires."""
    return f"pepper:{{{shard_of(game)}}}:online:{game}"


class Presence:
    """Marks of listening players. Who comes or goes rings the game's wake-up channel."""

    def __init__(self, client: Redis) -> None:
        self._mark = client.register_script(_MARK)
        self._marked = client.register_script(_MARKED)

    def mark(self, game: GameId, player: PlayerId, stream: str) -> None:
        """A player listens, by a stream; to be renewed before MARK_LASTS is over."""
        self._set(game, player, stream, MARK_LASTS)

    def unmark(self, game: GameId, player: PlayerId, stream: str) -> None:
        """A player listens by this stream no more."""
        self._set(game, player, stream, 0)

    def _set(self, game: GameId, player: PlayerId, stream: str, lasts: int) -> None:
        self._mark([online_key(game), wake_channel(game)], [f"{player}:{stream}", lasts])

    def online(self, game: GameId) -> set[PlayerId]:
        """The players who listen now."""
        marks: list[bytes] = self._marked([online_key(game)])
        return {PlayerId(mark.decode().partition(":")[0]) for mark in marks}
