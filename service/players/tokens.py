"""A player's further tokens: made, listed, revoked; never more than the one that made them."""

from collections.abc import Sequence
from typing import NamedTuple, cast

from redis import Redis

from events.vocabulary import PlayerId
from service.players.accounts import (
    Caller,
    NewToken,
    digest,
    new_token,
    token_key,
    token_record,
    tokens_key,
)
from service.players.server_secret import Draw, at_random

MOST_TOKENS = 50


class TooManyTokens(Exception):
    """The player holds as many tokens as one may."""


class MakerRevoked(Exception):
    """The token that was to make another one has been revoked meanwhile."""


class TokenUnknown(Exception):
    """The player holds no token of this id."""


class TokenInfo(NamedTuple):
    """A token without its secret; times are in milliseconds since 1970."""

    id: str
    name: str | None
    scopes: tuple[str, ...]
    created_at: int
    expires_at: int | None


class Tokens:
    """The tokens of players in Redis. An expired one is gone from there, by Redis's own clock."""

    def __init__(self, client: Redis) -> None:
        self._client = client

    def make(
        self, maker: Caller, name: str, scopes: Sequence[str], now: int, expires_at: int | None
    ) -> NewToken:
        """A token that ends no later than its maker's; raises TooManyTokens, MakerRevoked."""
        token = further_token(maker, name, scopes, now, expires_at)
        self.admit(maker, token)
        return token

    def admit(self, maker: Caller, token: NewToken) -> None:
        """Let a further token of its maker's be good; raises TooManyTokens, MakerRevoked."""
        self.keep(maker.player, token, is_bot=maker.is_bot)
        held = self._held(maker.player).values()
        # Looked at once the token is there: `revoke_all` saw the token, or this sees its work.
        is_revoked = all(info.id != maker.token_id for info in held)
        if is_revoked or len(held) > MOST_TOKENS:
            self.discard(maker.player, token)
            raise MakerRevoked if is_revoked else TooManyTokens

    def keep(self, player: PlayerId, token: NewToken, *, is_bot: bool) -> None:
        """Let a token be good from now on."""
        key = token_key(digest(token.secret))
        with self._client.pipeline(transaction=True) as pipeline:
            record = token_record(player, token, is_bot=is_bot)
            pipeline.hset(key, mapping=record)  # type: ignore[arg-type]  # invariant keys
            if token.expires_at is not None:
                pipeline.pexpireat(key, token.expires_at)
            pipeline.execute()
        self._client.sadd(tokens_key(player), digest(token.secret))

    def discard(self, player: PlayerId, token: NewToken) -> None:
        """End a token that was just made."""
        self._drop(player, digest(token.secret))

    def infos(self, player: PlayerId) -> list[TokenInfo]:
        """The player's tokens that are good now, the oldest first."""
        held = self._held(player).values()
        return sorted(held, key=lambda info: (info.created_at, info.id))

    def is_held(self, player: PlayerId, token_id: str) -> bool:
        """Whether the player's token of this id is good now."""
        return any(info.id == token_id for info in self._held(player).values())

    def revoke(self, player: PlayerId, token_id: str) -> None:
        """End one of the player's tokens; raises TokenUnknown."""
        for kept, info in self._held(player).items():
            if info.id == token_id:
                self._drop(player, kept)
                return
        raise TokenUnknown(token_id)

    def revoke_all(self, player: PlayerId, but: str | None = None) -> None:
        """End all tokens of a player, those too that they are just making; `but` one stays."""
        while others := [
            kept for kept, info in self._held(player).items() if but is None or info.id != but
        ]:
            for kept in others:
                self._drop(player, kept)

    def _held(self, player: PlayerId) -> dict[str, TokenInfo]:
        members = cast(set[bytes], self._client.smembers(tokens_key(player)))
        digests = [member.decode() for member in members]
        with self._client.pipeline(transaction=False) as pipeline:
            for kept in digests:
                pipeline.hgetall(token_key(kept))
            records = pipeline.execute()
        held = {
            kept: _info(record) for kept, record in zip(digests, records, strict=True) if record
        }
        if ended := [kept for kept in digests if kept not in held]:
            self._client.srem(tokens_key(player), *ended)
        return held

    def _drop(self, player: PlayerId, kept: str) -> None:
        self._client.delete(token_key(kept))
        self._client.srem(tokens_key(player), kept)


def further_token(
    maker: Caller,
    name: str,
    scopes: Sequence[str],
    now: int,
    expires_at: int | None,
    draw: Draw = at_random,
) -> NewToken:
    """A token that is not yet kept and ends no later than its maker's."""
    ends = [end for end in (expires_at, maker.expires_at) if end is not None]
    return new_token(scopes, now, draw, name=name, expires_at=min(ends, default=None))


def _info(record: dict[bytes, bytes]) -> TokenInfo:
    name, ends = record.get(b"name"), record.get(b"expires_at")
    return TokenInfo(
        record[b"id"].decode(),
        None if name is None else name.decode(),
        tuple(record[b"scopes"].decode().split()),
        int(record[b"created_at"]),
        None if ends is None else int(ends),
    )
