"""What the players of a game are told of an append: that it is their turn, a start, an end."""

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from events.catalogue import (
    BidMade,
    CardPlayed,
    GameStarted,
    Passed,
    RoundDealt,
    SeatInvited,
    TrumpNamed,
)
from events.store import Recorded
from events.vocabulary import GameId, PlayerId, Seat
from service.game.clocks import deadline
from service.game.position import Position, fold
from service.game.state import Game, is_bot_turn, is_over, seat_to_act
from service.webhooks.vocabulary import Topic

_MOVES = (RoundDealt, BidMade, Passed, TrumpNamed, CardPlayed)


class News(NamedTuple):
    """One thing that one player is told; times are in milliseconds since 1970."""

    topic: Topic
    player: PlayerId
    seat: Seat
    version: int
    at: int
    deadline: int | None = None


def persons_of(game: Game) -> set[PlayerId]:
    """Whom news of a game may concern."""
    places = game.setup.places
    named = {player for place in places for player in (place.player, place.reserved_for)}
    return {player for player in named if player is not None}


def news_of(game_id: GameId, log: Sequence[Recorded], versions: Collection[int]) -> Iterator[News]:
    """What the appends that ended at these versions tell, in order; a whole log is needed."""
    position: Position | None = None
    for _command, entries in groupby(log, key=lambda entry: entry.command_id):
        append = tuple(entries)
        before, position = position, fold(game_id, append, position)
        if position is not None and append[-1].version in versions:
            yield from _of_append(before.game if before else None, position, append)


def _of_append(
    before: Game | None, position: Position, append: Sequence[Recorded]
) -> Iterator[News]:
    game, version, at = position.game, position.version, position.updated_at
    events = [entry.event for entry in append]
    for event in events:
        if isinstance(event, SeatInvited):
            yield News(Topic.INVITED, event.player, event.seat, version, at, event.until)
    if any(isinstance(event, GameStarted) for event in events):
        yield from _to_everybody(Topic.GAME_STARTED, game, version, at)
    on_turn = _person_on_turn(game)
    has_moved = any(isinstance(event, _MOVES) for event in events)
    if on_turn and (has_moved or before is None or _person_on_turn(before) != on_turn):
        seat, player = on_turn
        yield News(Topic.TURN, player, seat, version, at, deadline(position))
    if is_over(game):
        yield from _to_everybody(Topic.GAME_FINISHED, game, version, at)


def _to_everybody(topic: Topic, game: Game, version: int, at: int) -> Iterator[News]:
    for seat, place in enumerate(game.setup.places):
        if place.player is not None:
            yield News(topic, place.player, Seat(seat), version, at)


def _person_on_turn(game: Game) -> tuple[Seat, PlayerId] | None:
    seat = seat_to_act(game)
    if seat is None or is_bot_turn(game):
        return None
    player = game.setup.places[seat].player
    return None if player is None else (seat, player)
