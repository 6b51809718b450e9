"""Every log of a run, read through the API and from the store, and all that follows from them."""

from collections import Counter
from collections.abc import Mapping
from typing import cast

from redis import Redis

from events.followers import follower_states
from events.redis_store import RedisEventStore, packed_key
from events.store import Recorded
from events.vocabulary import Cause, GameId
from service.game.position import Position, fold
from service.game.state import is_over
from service.settings import Settings
from service.views.replay_view import replay
from service.wiring import services
from service.workers.rebuild import rebuild
from tests.chaos.checker import Finding, Json

LISTS = (
    "pepper:{lobby}:*",
    "pepper:{?}:summary:*",
    "pepper:{p:*}:games*",
    "pepper:{p:*}:finished",
    "pepper:{p:*}:won",
    "pepper:{p:*}:aborted",
    "pepper:{p:*}:turns",
    "pepper:{p:*}:invitations",
)
Snapshot = Mapping[bytes, object]


class Survey:
    """Looks into the event server of a run."""

    def __init__(self, settings: Settings) -> None:
        self._parts = services(settings)
        self._client, self._store = self._parts.client, RedisEventStore(self._parts.client)

    def unfinished(self) -> list[GameId]:
        """The games that are not over."""
        return [game for game in self._store.games() if not is_over(self._position(game).game)]

    def log(self, game: GameId) -> list[Recorded]:
        """A game's log."""
        return [*self._store.read(game)]

    def _position(self, game: GameId) -> Position:
        position = fold(game, self._store.read(game))
        assert position is not None, f"{game} has no log"
        return position

    def creators(self) -> Counter[str]:
        """How many games each player has made."""
        return Counter(self._position(game).game.setup.creator for game in self._store.games())

    def differences(self, game: GameId, public: Json) -> list[Finding]:
        """Where the store's log, folded, is not what the public replay says."""
        log = self.log(game)
        position = fold(game, log)
        if position is None:
            return [Finding("lost", f"the log of {game}")]
        own = replay(log, position, None)
        same = ("events", "log_hash", "scores", "winners", "rounds", "version")
        return [
            Finding("replay", f"{game}: {name} differs from the store's")
            for name in same
            if own[name] != public[name]  # type: ignore[literal-required]  # names from above
        ]

    def is_packed(self, game: GameId) -> bool:
        """Whether a game's stream has been packed meanwhile."""
        return bool(self._client.exists(packed_key(game)))

    def times(self, game: GameId) -> list[tuple[int, bool]]:
        """When each event came, in milliseconds, and whether a bot made it."""
        return [(entry.at, entry.cause is Cause.BOT) for entry in self.log(game)]

    def are_followers_done(self) -> bool:
        """Whether everything that was appended has been followed."""
        states = follower_states(self._client, self._store.now())
        return bool(states) and all(state.lag_ms == 0 for state in states.values())

    def rebuilt_differently(self) -> list[Finding]:
        """The lists that a rebuild from the logs makes other than the followers kept them."""
        before = self._lists()
        rebuild(self._parts)
        after = self._lists()
        return [
            Finding("projection", f"{key.decode()}: {before.get(key)} was {after.get(key)}")
            for key in sorted(before.keys() | after.keys())
            if before.get(key) != after.get(key)
        ]

    def _lists(self) -> Snapshot:
        keys = {key for pattern in LISTS for key in self._client.scan_iter(pattern, count=500)}
        return {key: _value(self._client, key) for key in keys}


def _value(client: Redis, key: bytes) -> object:
    match cast(bytes, client.type(key)):
        case b"zset":
            return client.zrange(key, 0, -1, withscores=True)
        case b"hash":
            return client.hgetall(key)
        case b"set":
            return client.smembers(key)
        case _:
            return client.get(key)
