"""Games at a real store in which everything happens that can happen in one."""

from random import Random

from events.catalogue import Clock
from events.vocabulary import BotLevel, Cause, GameId, OnTimeout, PlayerId, Seat
from service.game.commands import (
    AbortGame,
    Command,
    CreateGame,
    Expire,
    ExtendClock,
    GiveEntropy,
    InvitePlayer,
    LeaveSeat,
    SeatBot,
    SeatWish,
    StartGame,
    TakeOver,
    TakeSeat,
)
from service.game.decide import legal_actions
from service.game.position import Position
from service.game.refusals import Refusal
from service.game.state import is_bots, is_over, seat_to_act
from service.rules.house_rules import OptionValue
from service.table import Table

ANA, BEN, CAT = PlayerId("p_ana"), PlayerId("p_ben"), PlayerId("p_cat")
SHORT: dict[str, OptionValue] = {"target_score": 1}
A_DAY = 24 * 3600 * 1000


def done(outcome: Position | Refusal) -> Position:
    """The position, where nothing may be refused."""
    assert isinstance(outcome, Position), outcome
    return outcome


def found(
    table: Table,
    *kinds: str,
    start: str = "auto",
    clock: Clock | None = None,
    expires_in: int = 3600,
    rules: dict[str, OptionValue] = SHORT,
) -> Position:
    """A game by Ana with these seats; an id is a player invited."""
    wishes = tuple(
        SeatWish("player", player=PlayerId(kind)) if kind.startswith("p_") else SeatWish(kind)
        for kind in kinds
    )
    return done(
        table.create(
            CreateGame(
                ANA,
                len(kinds),
                wishes,
                rules,
                start=start,
                now=table.now(),
                clock=clock,
                expires_in=expires_in,
            )
        )
    )


def play_out(table: Table, position: Position, limit: int = 10_000) -> Position:
    """The game after random legal actions; bids are timid, so that it ends."""
    rng = Random(len(position.id))
    while not is_over(position.game) and position.version < limit:
        seat = seat_to_act(position.game)
        assert seat is not None
        cause = Cause.BOT if is_bots(position.game.setup.places[seat]) else Cause.PLAYER
        actions = legal_actions(position.game)
        action = actions[min(rng.randrange(len(actions)), rng.randrange(len(actions)))]
        position = done(table.act(position.id, action, cause=cause))
    return position


def gathered(table: Table) -> Position:
    """A game in which seats were taken, left, kept and given to bots before it began."""
    position = found(table, "me", "open", "open", BEN, start="manual")
    commands: tuple[Command, ...] = (
        GiveEntropy(ANA, Seat(0), "salt"),
        TakeSeat(CAT, Seat(1), is_bot=False, now=table.now(), entropy="pepper"),
        LeaveSeat(CAT, Seat(1)),
        SeatBot(ANA, Seat(1), BotLevel.NOVICE),
        SeatBot(ANA, Seat(1), BotLevel.CLUB),
        InvitePlayer(ANA, Seat(2), CAT, table.now() + A_DAY),
        TakeSeat(CAT, None, is_bot=False, now=table.now()),
        TakeSeat(BEN, None, is_bot=False, now=table.now()),
        StartGame(ANA),
    )
    for command in commands:
        position = done(table.act(position.id, command))
    return position


def substituted(table: Table) -> Position:
    """A running game in which somebody left, came back, and was replaced."""
    position = found(table, "me", "open", "bot")
    sit = TakeSeat(BEN, Seat(1), is_bot=False, now=table.now(), entropy="mine")
    table.act(position.id, sit)
    commands: tuple[Command, ...] = (
        LeaveSeat(BEN, Seat(1)),
        TakeSeat(BEN, None, is_bot=False, now=table.now()),
        LeaveSeat(BEN, Seat(1)),
        LeaveSeat(ANA, Seat(1)),
        TakeSeat(CAT, Seat(1), is_bot=False, now=table.now()),
    )
    for command in commands:
        position = done(table.act(position.id, command))
    return position


def late(table: Table) -> Position:
    """A game with a clock in which time was given back, ended, and took a seat away."""
    position = found(table, "me", "open", clock=Clock(0, OnTimeout.BOT_TAKES_OVER))
    position = done(table.act(position.id, TakeSeat(BEN, None, is_bot=False, now=table.now())))
    seat = seat_to_act(position.game)
    assert seat is not None
    table.act(position.id, ExtendClock(1), cause=Cause.SYSTEM)
    while table.now() < position.turn_since + 1:
        pass
    return done(table.act(position.id, TakeOver(seat), cause=Cause.TIMEOUT))


def ended_by_time(table: Table, *kinds: str) -> Position:
    """A game that nobody went on with."""
    position = found(table, *kinds, expires_in=0)
    return done(table.act(position.id, Expire(), cause=Cause.TIMEOUT))


def aborted(table: Table) -> Position:
    """A game whose creator ended it."""
    return done(table.act(found(table, "me", "open").id, AbortGame(ANA)))


def all_kinds(table: Table) -> list[GameId]:
    """One game of each kind, rematches included."""
    finished = play_out(table, found(table, "me", "bot"))
    rematch = table.rematch(finished.id, ANA, is_bot=False)
    assert not isinstance(rematch, Refusal)
    games = [
        finished,
        rematch[0],
        gathered(table),
        play_out(table, substituted(table)),
        late(table),
        ended_by_time(table, "me", "open"),
        play_out(table, ended_by_time(table, "me", "bot"), 30),
        aborted(table),
        play_out(table, found(table, "bot", "bot", "bot", "bot")),
    ]
    return [position.id for position in games]
