"""Games of bots and people at a real store."""

from events.store import Recorded
from events.vocabulary import Cause, GameId, PlayerId
from service.game.commands import CreateGame, SeatWish
from service.game.decide import legal_actions
from service.game.position import Position
from service.game.refusals import Refusal
from service.game.state import is_bot_turn, is_over
from service.table import Table

HOST = PlayerId("p_host")
TARGET = {"target_score": 3}


def position_of(outcome: Position | Refusal) -> Position:
    """The position, where nothing may be refused."""
    assert isinstance(outcome, Position), outcome
    return outcome


def found(table: Table, *kinds: str, visibility: str = "unlisted") -> Position:
    """A short game by the host with these seats."""
    wishes = tuple(SeatWish(kind) for kind in kinds)
    command = CreateGame(HOST, len(kinds), wishes, TARGET, visibility=visibility, now=table.now())
    return position_of(table.create(command))


def waiting_for_bot(table: Table) -> Position:
    """A game with the host in which it is a bot's turn."""
    return _found_until(table, bots_turn=True)


def waiting_for_host(table: Table) -> Position:
    """A game with bots in which it is the host's turn."""
    return _found_until(table, bots_turn=False)


def _found_until(table: Table, *, bots_turn: bool) -> Position:
    for _attempt in range(200):
        position = found(table, "me", "bot")
        if is_bot_turn(position.game) is bots_turn:
            return position
    raise AssertionError("200 deals, and never that dealer")


def act_for_host(table: Table, position: Position) -> Position:
    """The host takes the first legal action."""
    return position_of(table.act(position.id, legal_actions(position.game)[0]))


def is_finished(table: Table, game: GameId) -> bool:
    """Whether a game is over."""
    return is_over(table.look(game).game)


def by_bots(log: list[Recorded]) -> int:
    """How many entries bots made."""
    return sum(entry.cause is Cause.BOT for entry in log)
