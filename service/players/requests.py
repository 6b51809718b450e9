"""Requests that change no game, sent under a key: each done once within a day."""

from hashlib import sha256
from typing import NamedTuple, cast

from redis import Redis

from events.store import FINGERPRINT_BYTES, RequestReused
from events.vocabulary import PlayerId

KEPT_FOR = 24 * 3600
"""Seconds for which a key is remembered."""

_DONE = b"+"
_FORGET = """
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
"""


class Begun(NamedTuple):
    """A request that has come, now or before.

    `place`: where it is remembered; `asked`: as what, until it is done; `at`: when it came first,
    in milliseconds since 1970.
    """

    place: str
    asked: bytes
    at: int
    is_done: bool


class Requests:
    """What is remembered of a request: what it asked, when it came first, whether it is done.

    All else that its answer says follows from these, the key and the server's secret, so that
    copies of it may do their work side by side and leave the same behind.
    """

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._forget = client.register_script(_FORGET)

    def begin(self, player: PlayerId | None, key: str, fingerprint: bytes, now: int) -> Begun:
        """A request of a player's, or of nobody's yet; raises RequestReused."""
        place, new = _place(player, key), fingerprint + b"%d" % now
        before = self._client.set(place, new, nx=True, ex=KEPT_FOR, get=True)
        kept = cast(bytes | None, before) or new
        if kept[:FINGERPRINT_BYTES] != fingerprint:
            raise RequestReused(key)
        asked = kept.removesuffix(_DONE)
        return Begun(place, asked, int(asked[FINGERPRINT_BYTES:]), kept != asked)

    def done(self, begun: Begun) -> None:
        """It has been done: when it comes again it is answered and nothing is done."""
        self._client.set(begun.place, begun.asked + _DONE, ex=KEPT_FOR)

    def refused(self, begun: Begun) -> None:
        """It has been refused: it may come again as if for the first time, unless it is done."""
        self._forget([begun.place], [begun.asked])


def _place(player: PlayerId | None, key: str) -> str:
    hashed = sha256(key.encode()).hexdigest()
    if player is None:
        return f"pepper:{{k:{hashed}}}:request"
    return f"pepper:{{p:{player}}}:request:{hashed}"
