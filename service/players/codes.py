"""Codes that link a further device to a player: read aloud or typed, good once, soon gone."""

import secrets
from hashlib import sha256
from typing import cast

import orjson
from redis import Redis

from events.vocabulary import PlayerId
from service.players.accounts import Caller

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no I, L, O or U."""

LINK_CODE_LENGTH = 12
LINK_CODE_SECONDS = 600
_MEANT = str.maketrans("OIL", "011", "-")


def meant(code: str) -> str:
    """The code as it was given out, however it was typed: case, hyphens, O for 0, I and L for 1."""
    return code.upper().translate(_MEANT)


class LinkCodes:
    """The codes that wait in Redis; of a code only the SHA-256 is kept, in the key itself."""

    def __init__(self, client: Redis) -> None:
        self._client = client

    def make(self, maker: Caller) -> str:
        """A code for a token of the same player, as able as the maker's."""
        code = "".join(secrets.choice(ALPHABET) for _place in range(LINK_CODE_LENGTH))
        kept = maker._asdict() | {"scopes": sorted(maker.scopes)}
        self._client.set(_key(code), orjson.dumps(kept), ex=LINK_CODE_SECONDS)
        return code

    def use(self, code: str) -> Caller | None:
        """Who made the code, None if it is no code; of parallel uses one alone succeeds."""
        kept = cast(bytes | None, self._client.getdel(_key(meant(code))))
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


class Tries:
    """How often an address has tried a code in this minute."""

    MOST = 10
    SECONDS = 60

    def __init__(self, client: Redis) -> None:
        self._client = client

    def wait(self, address: str) -> int:
        """Counts a try: 0 if it is allowed, else the seconds until the next one is."""
        key = f"pepper:{{tries:{address}}}:codes"
        with self._client.pipeline(transaction=True) as pipeline:
            pipeline.set(key, 0, ex=self.SECONDS, nx=True)
            pipeline.incr(key)
            pipeline.ttl(key)
            _new, count, left = pipeline.execute()
        return 0 if count <= self.MOST else max(1, left)


def _key(code: str) -> str:
    return f"pepper:{{c:{sha256(code.encode()).hexdigest()}}}"
