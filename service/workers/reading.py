"""Reading many games: one whose log is broken is reported, and the others go on."""

import logging
from collections.abc import Iterable, Iterator

from events.vocabulary import GameId
from service.game.position import Position
from service.table import UNREADABLE, Table

log = logging.getLogger(__name__)


def readable(table: Table, games: Iterable[GameId]) -> Iterator[Position]:
    """The games that can be read, each as it is now."""
    for game in games:
        try:
            position = table.look(game)
        except UNREADABLE as fault:
            report(game, fault)
        else:
            yield position


def report(game: GameId, fault: Exception) -> None:
    """Say that a game cannot be read."""
    log.error("game %s cannot be read: %s: %s", game, type(fault).__name__, fault)
