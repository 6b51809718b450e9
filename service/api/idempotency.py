"""Requests under an `Idempotency-Key`: done once, and answered alike however often they come."""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256

import orjson
from flask import Response, request

from events.store import FINGERPRINT_BYTES, AlreadyDone, Request
from events.vocabulary import SHARDS, GameId
from service.api.answers import view_response
from service.api.auth import caller_with
from service.api.bodies import raw_body
from service.api.problems import Problem
from service.api.services import current
from service.players.accounts import Caller
from service.players.server_secret import text
from service.views.seat_view import seat_seen_by

_KEY = re.compile(r"[\x20-\x7e]{1,64}")


def key_asked() -> str | None:
    """The request's key, None without one; raises a Problem if it is none."""
    key = request.headers.get("Idempotency-Key")
    if key is not None and not _KEY.fullmatch(key):
        raise Problem("malformed-header", "Idempotency-Key: 1 to 64 printable ASCII characters.")
    return key


def fingerprint(token_id: str = "") -> bytes:
    """What the request asks: its method, its address and its body, however that is spelled.

    With the id of its token, only by that token.
    """
    body = raw_body()
    # Not JSON (refused elsewhere, or empty), or nested too deep to be written again.
    with suppress(orjson.JSONDecodeError, orjson.JSONEncodeError):
        body = orjson.dumps(orjson.loads(body), option=orjson.OPT_SORT_KEYS)
    who = (token_id.encode(),) if token_id else ()
    asked = b"\0".join((request.method.encode(), request.path.encode(), *who, body))
    return sha256(asked).digest()[:FINGERPRINT_BYTES]


def request_in(game_id: GameId, who: Caller, status: int = 200) -> Request | None:
    """The request as a game's shard remembers it, None without a key."""
    key = key_asked()
    if key is None:
        return None
    asker = sha256(f"{who.player}\0{key}".encode()).digest()[:FINGERPRINT_BYTES]
    return Request(game_id, asker, fingerprint(), status)


def request_for_new_game(who: Caller) -> Request | None:
    """The same for a game that is to be made: its id follows from the player and the key."""
    key = key_asked()
    if key is None:
        return None
    derived = current().secret.derive("game", who.player, key)
    shard = SHARDS[derived[0] % len(SHARDS)]
    return request_in(GameId(f"g_{shard}{text(derived[1:13])}"), who, 201)


@contextmanager
def done_before_refused(asked: Request | None) -> Iterator[None]:
    """A Problem raised inside stands only if the request has not been done.

    So the key comes before the body without a look at the store for each request that is accepted.
    """
    try:
        yield
    except Problem:
        if asked is not None:
            current().store.check(asked)
        raise


def replayed(done: AlreadyDone) -> Response:
    """The answer to a request that has been done: the caller's view as it was right after."""
    who, kept = caller_with("play"), done.remembered
    position = current().table.look_at(kept.game, kept.version)
    seat = seat_seen_by(position.game, who.player)
    is_elsewhere = (request.view_args or {}).get("game_id") != kept.game
    location = f"/v1/games/{kept.game}" if is_elsewhere else None
    response = view_response(position, seat, kept.status, location)
    response.headers["Idempotent-Replayed"] = "true"
    return response
