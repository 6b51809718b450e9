"""Packing: a finished game's stream becomes one value, in one step (architecture decision 12).

A game's last append puts it among its shard's packable ones. It stays there until its stream is
gone, so what is packed twice, or by two at once, is packed once.
"""

from collections.abc import Iterable
from typing import cast

from redis import Redis

from events.codec import CorruptEntry
from events.feed import cursors_key
from events.packs import pack, unpack
from events.redis_store import (
    feed_key,
    log_key,
    packable_key,
    packed_key,
    requests_key,
    streamed,
)
from events.store import COMMAND_ID_BYTES, REQUESTS_KEPT_FOR
from events.vocabulary import GameId, shard_of

_READY = """
local latest = tonumber(ARGV[1])
for _, cursor in ipairs(redis.call('HVALS', KEYS[3])) do
  local undone = redis.call('XRANGE', KEYS[2], '(' .. cursor, '+', 'COUNT', 1)[1]
  if undone then latest = math.min(latest, string.match(undone[1], '^%d+') - 1) end
end
return redis.call('ZRANGE', KEYS[1], '-inf', latest, 'BYSCORE', 'LIMIT', 0, ARGV[2], 'WITHSCORES')
"""
_PACK = """
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if last then
  if last[1] ~= ARGV[2] or last[2][2] ~= ARGV[3] then return 0 end
  redis.call('SET', KEYS[2], ARGV[4])
  redis.call('UNLINK', KEYS[1])
  redis.call('EXPIRE', KEYS[4], ARGV[5], 'NX')
end
redis.call('ZREM', KEYS[3], ARGV[1])
return 1
"""
_OFFER = """
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('ZADD', KEYS[2], 'NX', ARGV[2], ARGV[1]) end
"""


class Packer:
    """Packs finished games. Whether one is finished, the caller knows."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._ready = client.register_script(_READY)
        self._pack = client.register_script(_PACK)
        self._offer = client.register_script(_OFFER)

    def ready(self, shards: Iterable[str], until: int, limit: int) -> list[GameId]:
        """The games that ended first, by a time and before all that a follower has not done."""
        with self._client.pipeline(transaction=False) as asked:
            for shard in shards:
                keys = [packable_key(shard), feed_key(shard), cursors_key(shard)]
                self._ready(keys, [until, limit], client=asked)
            answers = cast(list[list[bytes]], asked.execute())
        found = [pair for each in answers for pair in zip(each[1::2], each[::2], strict=True)]
        first = sorted((float(ended), game) for ended, game in found)[:limit]
        return [GameId(game.decode()) for _ended, game in first]

    def pack(self, game: GameId) -> bool:
        """Pack a finished game, unless its log changes meanwhile; raises CorruptEntry."""
        values = streamed(self._client, game)
        packed = pack(values) if values else b""
        if values and not _is_same(unpack(packed), values):
            raise CorruptEntry(f"{game}: it does not come out of its pack as it went in")
        keys = [log_key(game), packed_key(game), packable_key(shard_of(game)), requests_key(game)]
        last = values[-1] if values else b""
        entry_id = f"{len(values)}-0"
        return bool(self._pack(keys, [game, entry_id, last, packed, REQUESTS_KEPT_FOR]))

    def postpone(self, game: GameId, until: int) -> None:
        """Take a game for one that ended at a later time, since it cannot be packed now."""
        self._client.zadd(packable_key(shard_of(game)), {game: until}, xx=True, gt=True)

    def offer(self, game: GameId, ended_at: int) -> None:
        """Let a finished game be packed, if it is a stream."""
        self._offer([log_key(game), packable_key(shard_of(game))], [game, ended_at])


def _is_same(unpacked: list[bytes], values: list[bytes]) -> bool:
    """But for the command ids: the last one stays, the others only divide a log into appends."""
    return (
        [value[COMMAND_ID_BYTES:] for value in unpacked]
        == [value[COMMAND_ID_BYTES:] for value in values]
        and _begin_appends(unpacked) == _begin_appends(values)
        and unpacked[-1] == values[-1]
    )


def _begin_appends(values: list[bytes]) -> list[bool]:
    ids = [value[:COMMAND_ID_BYTES] for value in values]
    return [before != command_id for before, command_id in zip([b"", *ids], ids, strict=False)]
