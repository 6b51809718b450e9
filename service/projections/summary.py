"""What a list shows of a game: public, and without names, which the API adds."""

from typing import Any

from service.game.position import Position
from service.game.state import Kind
from service.views.seat_view import seat_view

Summary = dict[str, Any]

_SHOWN = [
    "id",
    "url",
    "version",
    "status",
    "phase",
    "players",
    "rules",
    "clock",
    "visibility",
    "creator",
    "created_at",
    "updated_at",
    "finished_at",
    "expires_at",
    "turn",
    "scores",
    "winners",
]
_SEAT_SHOWN = ["seat", "side", "kind", "player", "level", "acting_bot", "reserved_for"]


def summary_of(position: Position) -> Summary:
    """A game as every list shows it."""
    view: Summary = {**seat_view(position, None)}
    seats = [{name: seat[name] for name in _SEAT_SHOWN} for seat in view["seats"]]
    open_seats = sum(place.kind is Kind.OPEN for place in position.game.setup.places)
    return {**{name: view[name] for name in _SHOWN}, "seats": seats, "open_seats": open_seats}
