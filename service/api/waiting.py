"""Answers that wait for a game to move on, and for how long the client lets them."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from flask import request

from events.vocabulary import GameId
from service.api.auth import token_check
from service.api.problems import Problem
from service.api.services import current
from service.game.position import Position
from service.game.state import Bidding, is_over, seat_of, seat_to_act
from service.live.places import NoPlace, TooMany
from service.live.watch import Gone
from service.players.accounts import Caller
from service.views.seat_view import match_of

LONGEST_WAIT = 25
_WAIT = re.compile(r"(?:^|[,;\s])wait\s*=\s*\"?(\d{1,9})\"?\s*(?:$|[,;])", re.ASCII | re.IGNORECASE)


def wait_preferred() -> int:
    """The seconds of `Prefer: wait=` (RFC 7240), at most 25; 0 without one."""
    asked = _WAIT.search(",".join(request.headers.getlist("Prefer")))
    return min(int(asked[1]), LONGEST_WAIT) if asked else 0


def wait_past(game_id: GameId, version: int, seconds: float) -> None:
    """Until a game is past a version, is over, or time is up; raises NoPlace, TooMany, Problem."""
    _wait(game_id, seconds, lambda now: now.version > version or is_over(now.game))
    check_token_again()


def check_token_again() -> None:
    """A Problem if the token has ended while its answer waited."""
    if not token_check()():
        raise Problem("token-invalid")


def wait_for_turn(acted: Position, who: Caller, seconds: float) -> Position:
    """The game when it is the player's turn again, a round is over, it is, or time is up.

    Without a place to wait in it answers at once: the action has been done. A token that has
    ended meanwhile is told no more than it did.
    """
    round_then = _last_round_number(acted)
    if isinstance(acted.game, Bidding) and not acted.game.auction:
        return acted

    def is_worth_telling(now: Position) -> bool:
        seat = seat_of(now.game, who.player)
        is_own_turn = seat is not None and seat == seat_to_act(now.game)
        return is_own_turn or is_over(now.game) or _last_round_number(now) != round_then

    try:
        _wait(acted.id, seconds, is_worth_telling)
    except (NoPlace, TooMany):
        return acted
    return current().table.look(acted.id) if token_check()() else acted


def _last_round_number(position: Position) -> int:
    match = match_of(position.game)
    return match.last_round.number if match and match.last_round else 0


@contextmanager
def waiting_place() -> Iterator[None]:
    """A place among the answers that wait, for a token or address; raises NoPlace, TooMany."""
    places = current().wait_places
    name = request.headers.get("Authorization") or request.remote_addr
    places.take(name)
    try:
        yield
    finally:
        places.leave(name)


def _wait(game_id: GameId, seconds: float, is_done: Callable[[Position], bool]) -> None:
    services, until = current(), time.monotonic() + seconds
    if is_done(services.table.look(game_id)):
        return
    with waiting_place():
        watch = services.hub.watch(game_id, None)
        try:
            while not is_done(services.table.look(game_id)):
                left = until - time.monotonic()
                if left <= 0 or isinstance(watch.next(left), Gone):
                    return
        finally:
            services.hub.leave(watch)
