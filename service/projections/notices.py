"""What an append means to players: whose turn it is, who is invited, what they hear."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple

from events.catalogue import Event, GameStarted, SeatInvited, SeatTaken
from events.store import Recorded
from events.vocabulary import PlayerId, Seat
from service.game.position import Position
from service.game.state import Game, Gathering, Kind, is_bot_turn, is_over, seat_to_act


class Topic(StrEnum):
    """What a player may hear of a game, with the spellings that are stored and shown."""

    STARTED = "started"
    YOUR_TURN = "your_turn"
    INVITED = "invited"
    SEAT_TAKEN = "seat_taken"
    REMATCH = "rematch"
    FINISHED = "finished"


class Notice(NamedTuple):
    """One thing that one player hears; `at` is in milliseconds since 1970."""

    topic: Topic
    player: PlayerId
    seat: Seat
    version: int
    at: int


def appends_of(log: Sequence[Recorded]) -> Iterator[tuple[Recorded, ...]]:
    """The entries of a log, those that were appended together in one tuple."""
    for _command, entries in groupby(log, key=lambda entry: entry.command_id):
        yield tuple(entries)


def on_turn(game: Game) -> dict[PlayerId, Seat]:
    """The person who must act, and where they sit; nobody while a bot must or nothing waits."""
    seat = seat_to_act(game)
    if seat is None or is_bot_turn(game):
        return {}
    player = game.setup.places[seat].player
    return {} if player is None else {player: seat}


def kept_seats(game: Game) -> Iterator[tuple[Seat, PlayerId, int]]:
    """Seats kept for a player before the start, and until when, whether or not that is over."""
    for seat, place in enumerate(game.setup.places if isinstance(game, Gathering) else ()):
        if place.kind is Kind.OPEN and place.reserved_for is not None:
            yield Seat(seat), place.reserved_for, place.reserved_until


def invited_to(game: Game) -> dict[PlayerId, int]:
    """Whom seats are kept for, and until when the latest of theirs."""
    until: dict[PlayerId, int] = {}
    for _seat, player, kept_until in kept_seats(game):
        until[player] = max(kept_until, until.get(player, 0))
    return until


def waited_for(position: Position | None) -> set[PlayerId]:
    """Those of whom a game keeps something in their inbox."""
    return set() if position is None else {*on_turn(position.game), *invited_to(position.game)}


def notices_of(game: Game, append: Sequence[Recorded]) -> Iterator[Notice]:
    """What an append that led to this game tells, in order; turns apart."""
    is_founding = append[0].version == 1
    for entry in append:
        for topic, player, seat in _told(entry.event, game, is_founding=is_founding):
            yield Notice(topic, player, seat, append[-1].version, entry.at)
    if is_over(game):
        for player, seat in _seated(game).items():
            yield Notice(Topic.FINISHED, player, seat, append[-1].version, append[-1].at)


def _told(event: Event, game: Game, *, is_founding: bool) -> Iterator[tuple[Topic, PlayerId, Seat]]:
    if isinstance(event, SeatInvited):
        is_rematch = is_founding and game.setup.rematch_of is not None
        yield Topic.REMATCH if is_rematch else Topic.INVITED, event.player, event.seat
    elif isinstance(event, SeatTaken) and not is_founding:
        for player in {*_seated(game), game.setup.creator} - {event.player}:
            yield Topic.SEAT_TAKEN, player, event.seat
    elif isinstance(event, GameStarted):
        for player, seat in _seated(game).items():
            yield Topic.STARTED, player, seat


def _seated(game: Game) -> dict[PlayerId, Seat]:
    places = enumerate(game.setup.places)
    return {place.player: Seat(seat) for seat, place in places if place.player is not None}
