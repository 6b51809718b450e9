"""All appends of a shard in order: the outbox that followers read (architecture decision 6).

A follower keeps one cursor a shard, moved only while it holds the shard's lease, and only after the
work is done: every append reaches it at least once and in order, whatever dies. A follower that has
had no lease for a week is forgotten, so that it does not hold up trimming for ever.

A cursor lies beside its feed, so a failover that loses the feed's end takes the cursor back, too.
One that is ahead all the same, after a restore for instance, begins again at the beginning.
"""

import time
from collections.abc import Sequence
from typing import NamedTuple, cast

from redis import Redis

from events.leases import LEASE_MS, RELEASE, lease_key
from events.redis_store import feed_key
from events.vocabulary import SHARDS, Cause, GameId

LONGEST_WAIT_MS = LEASE_MS // 3
FORGOTTEN_AFTER, NOTED_EACH = 7 * 24 * 3_600_000, 3_600_000
"""Milliseconds after which an absent follower is forgotten, and between notes that it is there."""

_RENEW = """
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return false end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
if now - (redis.call('HGET', KEYS[3], ARGV[3]) or 0) >= tonumber(ARGV[4]) then
  redis.call('HSET', KEYS[3], ARGV[3], now)
end
local cursor = redis.call('HGET', KEYS[2], ARGV[3]) or '0-0'
local last = redis.call('XREVRANGE', KEYS[4], '+', '-', 'COUNT', 1)[1]
local function order(id)
  local milliseconds, sequence = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(milliseconds), tonumber(sequence)
end
local at, number = order(cursor)
local last_at, last_number = order(last and last[1] or '0-0')
if at > last_at or (at == last_at and number > last_number) then cursor = '0-0' end
redis.call('HSET', KEYS[2], ARGV[3], cursor)
return cursor
"""
_MOVE = """
local holder, cursor = redis.call('GET', KEYS[1]), redis.call('HGET', KEYS[2], ARGV[3])
if (holder or ARGV[1]) ~= ARGV[1] or cursor ~= ARGV[4] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('HSET', KEYS[2], ARGV[3], ARGV[5])
return 1
"""
_TRIM = """
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local cursors, forgotten, slowest, first = redis.call('HGETALL', KEYS[2]), {}, nil, nil
for i = 1, #cursors, 2 do
  local name, cursor = cursors[i], cursors[i + 1]
  redis.call('HSETNX', KEYS[3], name, now)
  if now - redis.call('HGET', KEYS[3], name) >= tonumber(ARGV[1]) then
    redis.call('HDEL', KEYS[2], name)
    redis.call('HDEL', KEYS[3], name)
    forgotten[#forgotten + 1] = name
  else
    local at = string.format('%015d-%015d', string.match(cursor, '^(%d+)-(%d+)$'))
    if not first or at < first then slowest, first = cursor, at end
  end
end
if slowest then redis.call('XTRIM', KEYS[1], 'MINID', slowest) end
return forgotten
"""


class FeedEntry(NamedTuple):
    """One append: its cause, and the game's version after it; `id` is its place in the feed."""

    shard: str
    id: str
    game: GameId
    version: int
    cause: Cause


class Feed:
    """A follower's place in the feeds of all shards that it can get a lease of."""

    def __init__(self, client: Redis, blocking: Redis, follower: str, owner: str) -> None:
        self._client, self._blocking = client, blocking
        self._follower, self._owner = follower, owner
        self._cursors: dict[str, str] = {}
        self._renewed_at = float("-inf")
        self._renew_script = client.register_script(_RENEW)
        self._move_script = client.register_script(_MOVE)
        self._trim_script = client.register_script(_TRIM)
        self._release_script = client.register_script(RELEASE)

    def take(self, block_ms: int = 1000, count: int = 100) -> list[FeedEntry]:
        """The next entries after what is done, waiting up to `block_ms` for the first (0: not).

        It waits less than asked where the leases would run out meanwhile.
        """
        self._renew()
        wait_ms = min(block_ms, LONGEST_WAIT_MS)
        if not self._cursors:
            time.sleep(wait_ms / 1000)
            return []
        streams = {feed_key(shard): cursor for shard, cursor in self._cursors.items()}
        read = self._blocking.xread(streams, count=count, block=wait_ms or None)  # type: ignore[arg-type]  # keys are invariant
        taken = []
        for key, entries in cast(list[tuple[bytes, list[tuple[bytes, dict[bytes, bytes]]]]], read):
            shard = key.decode()[len("pepper:{")]
            taken += [_entry(shard, entry_id, fields) for entry_id, fields in entries]
        return taken

    def done(self, entries: Sequence[FeedEntry]) -> None:
        """Move the cursors behind these entries; a shard that went to another owner is let go.

        A lease that only ran out is taken again, or work slower than a lease would never be done.
        """
        for shard, last in {entry.shard: entry.id for entry in entries}.items():
            taken_after = self._cursors.pop(shard, None)
            if taken_after is None:
                continue
            arguments: list[str | int] = [self._owner, LEASE_MS, self._follower, taken_after, last]
            if self._move_script(self._keys(shard), arguments):
                self._cursors[shard] = last

    def release(self) -> None:
        """Give all leases back, so that another owner need not wait for them."""
        for shard in self._cursors:
            self._release_script([lease_key(shard, self._follower)], [self._owner])
        self._cursors = {}
        self._renewed_at = float("-inf")

    def trim(self) -> set[str]:
        """Drop from every feed what the slowest follower has done; who has been forgotten."""
        forgotten: set[str] = set()
        for shard in SHARDS:
            keys = [feed_key(shard), cursors_key(shard), seen_key(shard)]
            names = cast(list[bytes], self._trim_script(keys, [FORGOTTEN_AFTER]))
            forgotten |= {name.decode() for name in names}
        return forgotten

    def _renew(self) -> None:
        if time.monotonic() - self._renewed_at < LONGEST_WAIT_MS / 1000:
            return
        self._renewed_at = time.monotonic()
        arguments: list[str | int] = [self._owner, LEASE_MS, self._follower, NOTED_EACH]
        with self._client.pipeline(transaction=False) as asked:
            for shard in SHARDS:
                keys = [*self._keys(shard), seen_key(shard), feed_key(shard)]
                self._renew_script(keys, arguments, client=asked)
            cursors = cast(list[bytes | None], asked.execute())
        for shard, cursor in zip(SHARDS, cursors, strict=True):
            if cursor is None:
                self._cursors.pop(shard, None)
            else:
                self._cursors[shard] = cursor.decode()

    def _keys(self, shard: str) -> list[str]:
        return [lease_key(shard, self._follower), cursors_key(shard)]


def _entry(shard: str, entry_id: bytes, fields: dict[bytes, bytes]) -> FeedEntry:
    game, cause = GameId(fields[b"g"].decode()), Cause(fields[b"c"].decode())
    return FeedEntry(shard, entry_id.decode(), game, int(fields[b"v"]), cause)


def order(entry_id: bytes) -> tuple[int, int]:
    """The time of an append, in milliseconds since 1970, and its number within that one."""
    milliseconds, sequence = entry_id.split(b"-")
    return int(milliseconds), int(sequence)


def cursors_key(shard: str) -> str:
    """The hash of the last entry that each follower of a shard has done."""
    return f"pepper:{{{shard}}}:cursors"


def seen_key(shard: str) -> str:
    """The hash of when each follower of a shard had its lease, to the hour."""
    return f"pepper:{{{shard}}}:seen"
