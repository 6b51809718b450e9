"""Erasing players: marked first, so that whatever stops it, it is taken up again (ADR 0010)."""

from collections.abc import Iterable
from typing import cast

from redis import Redis

from events.vocabulary import PlayerId
from service.players.accounts import Players
from service.players.recovery import Recovery
from service.players.tokens import Tokens

ERASING = "pepper:{erasing}:players"
"""Who is being erased, by when to look at them next."""

LOOKED_AGAIN_AFTER = 60_000
"""Milliseconds after which it is done once more: longer than a request under way may take."""


class Erasures:
    """Who is erased, and for whom something is still to be done."""

    def __init__(self, client: Redis, players: Players) -> None:
        self._client, self._players = client, players

    def begin(self, player: PlayerId, now: int) -> None:
        """Erase a player: whatever happens from here on, it is finished."""
        self._client.zadd(ERASING, {player: now}, nx=True)
        self.close(player, now)

    def close(self, player: PlayerId, now: int) -> None:
        """Let nobody speak for the player, and nobody read their name."""
        self._client.set(_erased_key(player), now, nx=True)
        Recovery(self._client).forget(player)
        Tokens(self._client).revoke_all(player)
        self._players.delete(player)

    def due(self, now: int, limit: int = 10) -> list[PlayerId]:
        """The players to look at now."""
        found = self._client.zrange(ERASING, 0, now, byscore=True, offset=0, num=limit)
        return [PlayerId(player.decode()) for player in cast(list[bytes], found)]

    def done(self, player: PlayerId, now: int) -> None:
        """All that is known of the player is erased; look once more, later, and then never."""
        began = cast(bytes | None, self._client.get(_erased_key(player)))
        again = LOOKED_AGAIN_AFTER + (now if began is None else int(began))
        if now < again:
            self._client.zadd(ERASING, {player: again}, xx=True)
        else:
            self._client.zrem(ERASING, player)

    def erased_among(self, players: Iterable[PlayerId]) -> set[PlayerId]:
        """Those of these players who are erased, or are being."""
        asked = list(players)
        with self._client.pipeline(transaction=False) as pipeline:
            for player in asked:
                pipeline.exists(_erased_key(player))
            found = pipeline.execute()
        return {player for player, is_erased in zip(asked, found, strict=True) if is_erased}


def _erased_key(player: PlayerId) -> str:
    return f"pepper:{{p:{player}}}:erased"
