"""A game at a version: the fold of its log, with what the log says about time."""

from collections.abc import Sequence
from typing import NamedTuple

from events.catalogue import (
    BidMade,
    CardPlayed,
    ClockExtended,
    GameCreated,
    GameStarted,
    Passed,
    RoundDealt,
    TrumpNamed,
)
from events.store import Head, Recorded
from events.vocabulary import GameId
from service.game.evolve import CorruptLog, evolve
from service.game.state import Game, is_over

BEGIN_TURNS = frozenset({GameStarted, RoundDealt, BidMade, Passed, TrumpNamed, CardPlayed})
"""The events after which another turn begins; others leave its clock alone."""


class Position(NamedTuple):
    """A game at a version; times are in milliseconds since 1970, `seed` is the game's secret.

    `turn_since`: when this turn began; `extended`: milliseconds given back to it since then.
    """

    id: GameId
    game: Game
    version: int
    command_id: bytes
    created_at: int
    updated_at: int
    seed: bytes
    turn_since: int = 0
    extended: int = 0

    @property
    def head(self) -> Head:
        """The log's last entry as this position knows it."""
        return Head(self.version, self.command_id)

    @property
    def ended_at(self) -> int | None:
        """When the game ended, None while it goes on."""
        return self.updated_at if is_over(self.game) else None


def fold(
    game_id: GameId, recorded: Sequence[Recorded], start: Position | None = None
) -> Position | None:
    """The position after these entries, from an earlier one or from nothing."""
    game = start.game if start else None
    for entry in recorded:
        game = evolve(game, entry.event)
    if not recorded or game is None:
        return start
    return advanced(game_id, start, recorded, game)


def advanced(
    game_id: GameId, start: Position | None, recorded: Sequence[Recorded], game: Game
) -> Position:
    """The position after some entries, one at least, which have made this of the game."""
    created_at, seed = (start.created_at, start.seed) if start else _birth(recorded[0])
    last = recorded[-1]
    turn_since, extended = _timing(recorded, start)
    return Position(
        game_id,
        game,
        last.version,
        last.command_id,
        created_at,
        last.at,
        seed,
        turn_since,
        extended,
    )


def _birth(first: Recorded) -> tuple[int, bytes]:
    if not isinstance(first.event, GameCreated):
        raise CorruptLog("a log begins with GameCreated")
    return first.at, first.event.seed


def _timing(recorded: Sequence[Recorded], start: Position | None) -> tuple[int, int]:
    extended = 0
    for entry in reversed(recorded):
        if type(entry.event) in BEGIN_TURNS:
            return entry.at, extended
        if isinstance(entry.event, ClockExtended):
            extended += entry.event.milliseconds
    return (start.turn_since, start.extended + extended) if start else (recorded[0].at, extended)
