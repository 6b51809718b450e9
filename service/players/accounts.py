"""Players and their tokens. Of a token only the SHA-256 is kept, in the key itself."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple, cast

from redis import Redis

from events.vocabulary import PlayerId
from service.players.names import clean_name
from service.players.server_secret import Draw, at_random, text

SCOPES = ("read", "play", "webhooks", "account")
NAME_CACHE_SECONDS = 3.0
MOST_CACHED = 10_000
_RENAME = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'name', ARGV[1])
return 1
"""


class PlayerUnknown(Exception):
    """No player has this id."""


class Account(NamedTuple):
    """A player as others see them; `created_at` is in milliseconds since 1970."""

    id: PlayerId
    name: str
    is_bot: bool
    created_at: int


class Caller(NamedTuple):
    """Who a token speaks for, and what it may do."""

    player: PlayerId
    is_bot: bool
    token_id: str
    scopes: frozenset[str]
    expires_at: int | None


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token at its making: the only time its secret is seen."""

    id: str
    secret: str
    scopes: tuple[str, ...]
    created_at: int
    name: str | None = None
    expires_at: int | None = None


class Players:
    """Accounts in Redis; names are read through a short cache."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._cache: dict[PlayerId, tuple[float, Account]] = {}
        self._rename = client.register_script(_RENAME)

    def create(
        self,
        name: str | None,
        now: int,
        *,
        is_bot: bool,
        draw: Draw = at_random,
    ) -> tuple[Account, NewToken]:
        """A new player and their first token, which may do everything; ValueError on the name."""
        account = new_account(new_player_id(draw), name, now, draw, is_bot=is_bot)
        token, shown = new_token(SCOPES, now, draw), account.name
        record: dict[str, str | int] = {"name": shown, "bot": int(is_bot), "created_at": now}
        self._client.hset(_record_key(account.id), mapping=record)  # type: ignore[arg-type]  # invariant keys
        kept = digest(token.secret)
        self._client.hset(token_key(kept), mapping=token_record(account.id, token, is_bot=is_bot))  # type: ignore[arg-type]  # invariant keys
        self._client.sadd(tokens_key(account.id), kept)
        return account, token

    def caller(self, secret: str) -> Caller | None:
        """Who a secret speaks for, None if it is no token."""
        fields = ["player", "bot", "id", "scopes", "expires_at"]
        found = cast(list[bytes | None], self._client.hmget(token_key(digest(secret)), fields))
        player, bot, token_id, scopes, ends = (value.decode() if value else "" for value in found)
        if not player:
            return None
        return Caller(
            PlayerId(player),
            bot == "1",
            token_id,
            frozenset(scopes.split()),
            int(ends) if ends else None,
        )

    def get(self, player: PlayerId) -> Account:
        """A player as they are now; raises PlayerUnknown."""
        account = _account(player, self._client.hgetall(_record_key(player)))
        if account is None:
            raise PlayerUnknown(player)
        return account

    def rename(self, player: PlayerId, name: str) -> Account:
        """A player under a new name; raises ValueError on the name, PlayerUnknown."""
        shown = clean_name(name)
        account = self.get(player)._replace(name=shown)
        if not self._rename([_record_key(player)], [shown]):
            raise PlayerUnknown(player)
        self._cache.pop(player, None)
        return account

    def delete(self, player: PlayerId) -> None:
        """Forget a player and their name; other processes may know it for a few seconds more."""
        self._client.delete(_record_key(player))
        self._cache.pop(player, None)

    def accounts(self, players: Iterable[PlayerId]) -> dict[PlayerId, Account]:
        """The known ones of these players, at most a few seconds old."""
        wanted, now = set(players), time.monotonic()
        fresh = {
            player: kept[1]
            for player in wanted
            if (kept := self._cache.get(player)) and kept[0] > now
        }
        missing = [player for player in wanted if player not in fresh]
        return {**fresh, **self._load(missing, now)} if missing else fresh

    def _load(self, players: list[PlayerId], now: float) -> dict[PlayerId, Account]:
        with self._client.pipeline(transaction=False) as pipeline:
            for player in players:
                pipeline.hgetall(_record_key(player))
            records = pipeline.execute()
        loaded = {}
        for player, record in zip(players, records, strict=True):
            account = _account(player, record)
            if account is not None:
                loaded[player] = account
        if len(self._cache) > MOST_CACHED:
            self._cache.clear()
        until = now + NAME_CACHE_SECONDS
        self._cache.update({player: (until, account) for player, account in loaded.items()})
        return loaded


def _account(player: PlayerId, record: object) -> Account | None:
    fields = cast(dict[bytes, bytes], record)
    if not fields:
        return None
    return Account(
        player, fields[b"name"].decode(), fields[b"bot"] == b"1", int(fields[b"created_at"])
    )


def new_player_id(draw: Draw = at_random) -> PlayerId:
    """An id that nobody has."""
    return PlayerId(f"p_{text(draw('player')[:12])}")


def new_account(
    player: PlayerId, name: str | None, now: int, draw: Draw, *, is_bot: bool
) -> Account:
    """A player who is not yet kept; raises ValueError on the name."""
    shown = f"Player {draw('name')[:2].hex().upper()}" if name is None else clean_name(name)
    return Account(player, shown, is_bot, now)


def new_token(
    scopes: Sequence[str],
    now: int,
    draw: Draw = at_random,
    *,
    name: str | None = None,
    expires_at: int | None = None,
) -> NewToken:
    """A token that is not yet kept."""
    token_id, secret = f"t_{text(draw('token id')[:9])}", f"pepper_{text(draw('token'))}"
    return NewToken(token_id, secret, tuple(scopes), now, name, expires_at)


def token_record(player: PlayerId, token: NewToken, *, is_bot: bool) -> dict[str, str | int]:
    """What is kept of a token: all but its secret."""
    record: dict[str, str | int] = {
        "player": player,
        "bot": int(is_bot),
        "id": token.id,
        "scopes": " ".join(token.scopes),
        "created_at": token.created_at,
    }
    optional = {"name": token.name, "expires_at": token.expires_at}
    return record | {field: value for field, value in optional.items() if value is not None}


def digest(secret: str) -> str:
    """What a token is known by in the store."""
    return sha256(secret.encode()).hexdigest()


def token_key(kept: str) -> str:
    """Where the token of this digest is kept."""
    return f"pepper:{{t:{kept}}}"


def tokens_key(player: PlayerId) -> str:
    """Where the digests of a player's tokens are kept."""
    return f"pepper:{{p:{player}}}:tokens"


def _record_key(player: PlayerId) -> str:
    return f"pepper:{{p:{player}}}:record"
