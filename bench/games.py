"""Recorded games for benchmarks, played by club bots from a fixed seed."""

import os
from collections.abc import Sequence

from events.memory_store import MemoryEventStore
from events.redis_store import RedisEventStore
from events.store import COMMAND_ID_BYTES, NO_ENTRIES, Entry, Head, Recorded
from events.vocabulary import BotLevel, GameId, PlayerId
from service.game.commands import CreateGame, SeatWish
from service.game.position import Position
from service.table import Table
from service.workers.bot_turn import take_bot_turns

A_LONG_TIME = 600.0


def bots_game(players: int = 4, target: int = 30) -> Sequence[Recorded]:
    """The log of a whole game of club bots."""
    table = Table(MemoryEventStore())
    wishes = (SeatWish("bot", BotLevel.CLUB),) * players
    founded = table.create(
        CreateGame(PlayerId("p_bench0123456789"), players, wishes, {"target_score": target})
    )
    assert isinstance(founded, Position)
    take_bot_turns(table, founded.id, founded.version, A_LONG_TIME)
    return table.log(founded.id)


def log_of_400() -> Sequence[Recorded]:
    """The first 400 events of a game that is longer."""
    return bots_game(target=120)[:400]


def store_log(store: RedisEventStore, game: GameId, log: Sequence[Recorded]) -> None:
    """Append a log to a store, event by event, as it was played."""
    head = NO_ENTRIES
    for recorded in log:
        command_id = os.urandom(COMMAND_ID_BYTES)
        done = store.append(game, head, command_id, [Entry(recorded.cause, recorded.event)])
        head = Head(done.version, command_id)
