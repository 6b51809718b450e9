"""Who acts: comes from the token, never from the body."""

from collections.abc import Callable
from typing import cast

from flask import g, request
from redis.exceptions import RedisError

from service.api.exchanges import note_player
from service.api.problems import Problem
from service.api.services import current
from service.players.accounts import Caller

LONGEST_SECRET = 200


def caller() -> Caller | None:
    """Who the request's token speaks for, None without one; a bad token is a Problem."""
    if "caller" not in g:
        g.caller = _caller()
    return cast(Caller | None, g.caller)


def _caller() -> Caller | None:
    header = request.headers.get("Authorization")
    if header is None:
        return None
    kind, _, secret = header.partition(" ")
    if kind.lower() != "bearer" or not 0 < len(secret) <= LONGEST_SECRET:
        raise Problem("token-invalid", "Send Authorization: Bearer and a token.")
    known = current().players.caller(secret.strip())
    if known is None:
        raise Problem("token-invalid")
    note_player(known.player)
    return known


def token_check() -> Callable[[], bool]:
    """Asks again, later and outside the request, whether its token is still good."""
    header, players = request.headers.get("Authorization"), current().players
    if header is None:
        return lambda: True
    secret = header.partition(" ")[2].strip()

    def is_good() -> bool:
        try:
            return players.caller(secret) is not None
        except RedisError:  # no frame comes while the store is away, and it is asked again
            return True

    return is_good


def reader() -> Caller | None:
    """Who reads: anybody, unless the token lacks the scope."""
    known = caller()
    if known is not None:
        _need(known, "read")
    return known


def caller_with(scope: str) -> Caller:
    """Who the token speaks for, if it may do this; else a Problem."""
    known = caller()
    if known is None:
        raise Problem("token-missing")
    _need(known, scope)
    return known


def _need(known: Caller, scope: str) -> None:
    if scope not in known.scopes:
        raise Problem("scope-missing", f"The token needs the scope {scope}.")
