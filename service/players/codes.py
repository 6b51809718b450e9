"""Codes that link a further device to a player: read aloud or typed, good once, soon gone."""

from hashlib import sha256
from typing import cast

import orjson
from redis import Redis

from events.vocabulary import PlayerId
from service.players.accounts import Caller
from service.players.requests import KEPT_FOR
from service.players.server_secret import Draw, at_random

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no I, L, O or U."""

LINK_CODE_LENGTH = 12
LINK_CODE_SECONDS = 600
_MEANT = str.maketrans("OIL", "011", "-")
_USE = """
local maker, by = unpack(redis.call('HMGET', KEYS[1], 'maker', 'by'))
if not maker or (by and by ~= ARGV[1]) then return false end
redis.call('HSET', KEYS[1], 'by', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return maker
"""
_TRY = """
if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 1 then return 0 end
if redis.call('SCARD', KEYS[1]) >= tonumber(ARGV[2]) then
  return math.max(1, redis.call('TTL', KEYS[1]))
end
redis.call('SADD', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3], 'NX')
return 0
"""


def meant(code: str) -> str:
    """The code as it was given out, however it was typed: case, hyphens, O for 0, I and L for 1."""
    return code.upper().translate(_MEANT)


def spelled(drawn: bytes, length: int) -> str:
    """A code of so many characters, five bits each, from as many random bytes or more."""
    return "".join(ALPHABET[byte % len(ALPHABET)] for byte in drawn[:length])


class LinkCodes:
    """The codes that wait in Redis; of a code only the SHA-256 is kept, in the key itself.

    A used one stays for a day beside who used it, so that it can be neither used nor made again.
    """

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._use = client.register_script(_USE)

    def make(self, maker: Caller, draw: Draw = at_random) -> str:
        """A code for a token of the same player, as able as the maker's."""
        code = link_code(draw)
        kept = maker._asdict() | {"scopes": sorted(maker.scopes)}
        with self._client.pipeline(transaction=True) as pipeline:
            pipeline.hsetnx(_key(code), "maker", orjson.dumps(kept))
            pipeline.expire(_key(code), LINK_CODE_SECONDS, nx=True)
            pipeline.execute()
        return code

    def use(self, code: str, draw: Draw = at_random) -> Caller | None:
        """Who made the code, None if it is no code or another's; the same draw may use it again."""
        by = draw("use of a code").hex()
        kept = cast(bytes | None, self._use([_key(meant(code))], [by, KEPT_FOR]))
        if kept is None:
            return None
        maker = orjson.loads(kept)
        return Caller(
            PlayerId(maker["player"]),
            maker["is_bot"],
            maker["token_id"],
            frozenset(maker["scopes"]),
            maker["expires_at"],
        )


def link_code(draw: Draw) -> str:
    """The code that follows from a draw."""
    return spelled(draw("link code"), LINK_CODE_LENGTH)


class Tries:
    """How often an address has tried a code in this minute; copies of one request are one try."""

    MOST = 10
    SECONDS = 60

    def __init__(self, client: Redis) -> None:
        self._try = client.register_script(_TRY)

    def wait(self, address: str, draw: Draw = at_random) -> int:
        """Counts a try: 0 if it is allowed, else the seconds until the next one is."""
        key, request = f"pepper:{{tries:{address}}}:codes", draw("try of a code").hex()
        return int(self._try([key], [request, self.MOST, self.SECONDS]))


def _key(code: str) -> str:
    return f"pepper:{{c:{sha256(code.encode()).hexdigest()}}}"
