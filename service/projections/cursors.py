"""Where the next page of a list of games begins, as text that only the list understands."""

import base64
import binascii
import re
from typing import NamedTuple

from events.vocabulary import GameId

_PLACE = re.compile(r"(\d{1,15}):([A-Za-z0-9_-]{1,64})", re.ASCII)


class CursorMalformed(ValueError):
    """A cursor that no page gave out."""


class Place(NamedTuple):
    """Where a game stands in a list: its time, its id where two have the same one."""

    at: int
    game: GameId


def opened(cursor: str | None) -> Place | None:
    """The place that a cursor means, None without one; raises CursorMalformed."""
    if cursor is None:
        return None
    try:
        place = _PLACE.fullmatch(base64.urlsafe_b64decode(cursor.encode()).decode())
    except (binascii.Error, ValueError) as fault:
        raise CursorMalformed(cursor[:40]) from fault
    if place is None:
        raise CursorMalformed(cursor[:40])
    return Place(int(place[1]), GameId(place[2]))


def closed(place: Place) -> str:
    """The cursor that means a place."""
    return base64.urlsafe_b64encode(f"{place.at}:{place.game}".encode()).decode()
