"""Requests under an `Idempotency-Key`: done once, and answered alike however often they come."""

import contextlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from typing import NamedTuple

import orjson
from flask import Response, request

from events.store import FINGERPRINT_BYTES, AlreadyDone, Request
from events.vocabulary import SHARDS, GameId, PlayerId
from service.api.answers import view_response
from service.api.auth import caller_with
from service.api.problems import Problem
from service.api.services import current
from service.players.accounts import Caller, new_player_id
from service.players.erasure import Erasures
from service.players.requests import Requests
from service.players.server_secret import Draw, at_random, text
from service.views.seat_view import seat_seen_by

FEWEST_UNPREDICTABLE = 22
"""Characters of a key that nobody guesses, where it alone gives a token away."""

_KEY = re.compile(r"[\x20-\x7e]{1,64}")


def key_asked() -> str | None:
    """The request's key, None without one; raises a Problem if it is none."""
    key = request.headers.get("Idempotency-Key")
    if key is not None and not _KEY.fullmatch(key):
        raise Problem("malformed-header", "Idempotency-Key: 1 to 64 printable ASCII characters.")
    return key


def fingerprint() -> bytes:
    """What the request asks: its method, its address and its body, however that is spelled."""
    body = request.get_data()
    with contextlib.suppress(orjson.JSONDecodeError):  # refused elsewhere, or empty
        body = orjson.dumps(orjson.loads(body), option=orjson.OPT_SORT_KEYS)
    asked = b"\0".join((request.method.encode(), request.path.encode(), body))
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


class Attempt(NamedTuple):
    """One coming of a request that makes ids or secrets.

    `at`: when it came first, in milliseconds since 1970. `draw` gives 32 bytes for a purpose: the
    same at each coming, and random without a key. `is_done`: answer it, and do nothing.
    """

    at: int
    draw: Draw
    is_done: bool = False

    @property
    def headers(self) -> dict[str, str]:
        """What the answer says of it."""
        return {"Idempotent-Replayed": "true"} if self.is_done else {}


@contextmanager
def attempt(player: PlayerId) -> Iterator[Attempt]:
    """A request of a player's that changes no game; what is raised inside refuses it."""
    key, parts = key_asked(), current()
    if key is None:
        yield Attempt(parts.table.now(), at_random)
        return
    asked, requests = fingerprint(), Requests(parts.client)
    begun = requests.begin(player, key, asked, parts.table.now())
    draw = partial(_drawn, player, key)
    try:
        yield Attempt(begun.at, draw, begun.is_done)
    except Exception:
        requests.refused(player, key)
        raise
    if not begun.is_done:
        requests.done(player, key, asked, begun.at)


def player_to_be() -> PlayerId:
    """The id of a player who is to be made; under a key it follows from the key.

    A copy that comes after the player was erased is a Problem: it must not bring them back.
    """
    key = key_asked()
    if key is None:
        return new_player_id()
    if len(key) < FEWEST_UNPREDICTABLE:
        raise Problem("malformed-header", "Idempotency-Key: here, 22 random characters or more.")
    parts = current()
    player = new_player_id(lambda purpose: parts.secret.derive(purpose, key))
    if Erasures(parts.client, parts.players).erased_among([player]):
        raise Problem("idempotency-key-reused", "The player made under this key was erased.")
    return player


def _drawn(player: PlayerId, key: str, purpose: str) -> bytes:
    return current().secret.derive(purpose, player, key)
