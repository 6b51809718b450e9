"""Players' requests that change no game, sent under a key: each done once within a day."""

from hashlib import sha256
from typing import NamedTuple, cast

from redis import Redis

from events.store import FINGERPRINT_BYTES, RequestReused
from events.vocabulary import PlayerId

KEPT_FOR = 24 * 3600
"""Seconds for which a key is remembered."""

_DONE = b"+"


class Begun(NamedTuple):
    """When a request was begun first, in milliseconds since 1970, and whether it has been done."""

    at: int
    is_done: bool


class Requests:
    """What is remembered of a request: what it asked, when it came first, whether it is done.

    All else that its answer says follows from these, the key and the server's secret, so that
    copies of it may do their work side by side and leave the same behind.
    """

    def __init__(self, client: Redis) -> None:
        self._client = client

    def begin(self, player: PlayerId, key: str, fingerprint: bytes, now: int) -> Begun:
        """A request's first coming, now or before; raises RequestReused."""
        place = _key(player, key)
        self._client.set(place, fingerprint + b"%d" % now, nx=True, ex=KEPT_FOR)
        kept = cast(bytes | None, self._client.get(place))
        if kept is None:  # it expired between the two
            return self.begin(player, key, fingerprint, now)
        if kept[:FINGERPRINT_BYTES] != fingerprint:
            raise RequestReused(key)
        at = kept[FINGERPRINT_BYTES:]
        return Begun(int(at.removesuffix(_DONE)), at.endswith(_DONE))

    def done(self, player: PlayerId, key: str, fingerprint: bytes, at: int) -> None:
        """It has been done: when it comes again it is answered and nothing is done."""
        kept = fingerprint + b"%d" % at + _DONE
        self._client.set(_key(player, key), kept, xx=True, keepttl=True)

    def refused(self, player: PlayerId, key: str) -> None:
        """It has been refused: it may come again as if for the first time."""
        self._client.delete(_key(player, key))


def _key(player: PlayerId, key: str) -> str:
    return f"pepper:{{p:{player}}}:request:{sha256(key.encode()).hexdigest()}"
