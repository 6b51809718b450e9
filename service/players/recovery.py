"""Recovery codes: kept on paper, they give a player back to whoever has lost every token."""

from hashlib import sha256
from typing import cast

from redis import Redis

from events.vocabulary import PlayerId
from service.players.accounts import SCOPES, NewToken, Players, PlayerUnknown, new_token
from service.players.codes import meant, spelled
from service.players.requests import KEPT_FOR
from service.players.server_secret import Draw, at_random
from service.players.tokens import Tokens

RECOVERY_CODE_LENGTH = 24
_SPEND = """
local kept, spent, by = unpack(redis.call('HMGET', KEYS[1], 'kept', 'spent', 'by'))
if spent == ARGV[1] and by == ARGV[2] then return 1 end
if kept ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[1], 'kept', 'created_at')
redis.call('HSET', KEYS[1], 'spent', ARGV[1], 'by', ARGV[2])
return 1
"""


class Recovery:
    """One code a player, good until it is used or replaced; only its SHA-256 is kept.

    The player's own key says which code is good, and which was spent last, by whom. The key named
    for the code only leads there, so one that is left over opens nothing.
    """

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._spend = client.register_script(_SPEND)

    def make(self, player: PlayerId, now: int, draw: Draw = at_random) -> str:
        """A code in place of the player's last one."""
        code = recovery_code(draw)
        kept = _digest(code)
        self._client.set(_code_key(kept), player)
        with self._client.pipeline(transaction=True) as pipeline:
            pipeline.hget(_player_key(player), "kept")
            pipeline.hset(_player_key(player), mapping={"kept": kept, "created_at": now})
            replaced, _added = pipeline.execute()
        if replaced is not None and replaced.decode() != kept:
            self._client.delete(_code_key(replaced.decode()))
        return code

    def made_at(self, player: PlayerId) -> int | None:
        """When the player's code was made, in milliseconds since 1970; None if there is none."""
        found = cast(bytes | None, self._client.hget(_player_key(player), "created_at"))
        return None if found is None else int(found)

    def use(self, code: str, name: str, now: int, draw: Draw = at_random) -> NewToken | None:
        """A token for everything in place of all the player's others, None if it is no code.

        Of parallel uses one alone succeeds, or those of the same draw, with the same token. The
        token is there before the code is spent, so that who is cut off in between may try again.
        """
        kept = _digest(meant(code))
        found = cast(bytes | None, self._client.get(_code_key(kept)))
        if found is None:
            return None
        player = PlayerId(found.decode())
        try:
            account = Players(self._client).get(player)
        except PlayerUnknown:
            return None
        token, tokens = recovered_token(name, now, draw), Tokens(self._client)
        tokens.keep(player, token, is_bot=account.is_bot)
        if not self._spend([_player_key(player)], [kept, draw("use of a code").hex()]):
            tokens.discard(player, token)
            return None
        self._client.expire(_code_key(kept), KEPT_FOR)
        tokens.revoke_all(player, but=token.id)
        return token

    def forget(self, player: PlayerId) -> None:
        """Let no code of the player's be good."""
        found = self._client.hmget(_player_key(player), ["kept", "spent"])
        for kept in cast(list[bytes | None], found):
            if kept is not None:
                self._client.delete(_code_key(kept.decode()))
        self._client.delete(_player_key(player))


def recovery_code(draw: Draw) -> str:
    """The code that follows from a draw."""
    return spelled(draw("recovery code"), RECOVERY_CODE_LENGTH)


def recovered_token(name: str, now: int, draw: Draw) -> NewToken:
    """The token for everything that a code gives; not yet kept."""
    return new_token(SCOPES, now, draw, name=name)


def _digest(code: str) -> str:
    return sha256(code.encode()).hexdigest()


def _code_key(kept: str) -> str:
    return f"pepper:{{r:{kept}}}"


def _player_key(player: PlayerId) -> str:
    return f"pepper:{{p:{player}}}:recovery"
