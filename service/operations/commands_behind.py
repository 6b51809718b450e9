"""Which command an append follows from, told by its first event, and who may have given it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from events.catalogue import (
    BidMade,
    BotSeated,
    CardPlayed,
    ClockExtended,
    EntropyGiven,
    Event,
    GameAborted,
    GameCreated,
    GameStarted,
    Passed,
    SeatHandedOver,
    SeatInvited,
    SeatLeft,
    SeatTaken,
    SeatTakenBack,
    TrumpNamed,
)
from events.store import Recorded
from events.vocabulary import Cause, PlayerId
from service.game.commands import (
    AbortGame,
    Action,
    Command,
    CreateGame,
    Expire,
    ExtendClock,
    GiveEntropy,
    InvitePlayer,
    LeaveSeat,
    MakeBid,
    NameTrump,
    Pass,
    PlayCard,
    SeatBot,
    SeatWish,
    StartGame,
    TakeOver,
    TakeSeat,
)
from service.game.position import Position

Append = Sequence[Recorded]


def create_game(created: GameCreated, events: Iterable[Event]) -> CreateGame:
    """The command that a founding follows from."""
    wishes: dict[int, SeatWish] = {}
    for event in events:
        if isinstance(event, SeatTaken):
            wishes.setdefault(event.seat, SeatWish("me"))
        elif isinstance(event, BotSeated):
            wishes.setdefault(event.seat, SeatWish("bot", level=event.level))
        elif isinstance(event, SeatInvited):
            wishes.setdefault(event.seat, SeatWish("player", player=event.player))
    return CreateGame(
        creator=created.creator,
        players=created.players,
        seats=tuple(wishes.get(seat, SeatWish("open")) for seat in range(created.players)),
        rules=created.rules,
        visibility=created.visibility,
        start=created.start,
        hints=created.hints,
        allow_bots=created.allow_bots,
        rematch_of=created.rematch_of,
        clock=created.clock,
        expires_in=created.expires_in,
    )


def _player_at(before: Position, event: Any) -> PlayerId:
    """Whose seat an event is about; nobody's id where it is nobody's."""
    return before.game.setup.places[event.seat].player or PlayerId("")


def _take_seat(_before: Position, append: Append, event: SeatTaken) -> Command:
    entropies = (entry.event for entry in append[1:2] if isinstance(entry.event, EntropyGiven))
    entropy = next((given.entropy for given in entropies), None)
    return TakeSeat(event.player, event.seat, is_bot=False, now=append[0].at, entropy=entropy)


def _take_back(before: Position, append: Append, event: SeatTakenBack) -> Command:
    player = _player_at(before, event)
    return TakeSeat(player, event.seat, is_bot=False, now=append[0].at)


def _hand_over(before: Position, _append: Append, event: SeatHandedOver) -> Command:
    if event.left:
        return LeaveSeat(_player_at(before, event), event.seat)
    return Expire() if before.game.setup.clock is None else TakeOver(event.seat)


def _abort(before: Position, append: Append, _event: GameAborted) -> Command:
    if append[0].cause is Cause.TIMEOUT:
        return Expire()
    return AbortGame(before.game.setup.creator)


COMMANDS: dict[type[Event], Callable[[Position, Append, Any], Command]] = {
    SeatTaken: _take_seat,
    SeatLeft: lambda before, _append, left: LeaveSeat(before.game.setup.creator, left.seat),
    SeatInvited: lambda before, _append, invited: InvitePlayer(
        before.game.setup.creator, invited.seat, invited.player, invited.until
    ),
    BotSeated: lambda before, _append, bot: SeatBot(before.game.setup.creator, bot.seat, bot.level),
    EntropyGiven: lambda before, _append, given: GiveEntropy(
        _player_at(before, given), given.seat, given.entropy
    ),
    GameStarted: lambda before, _append, _started: StartGame(before.game.setup.creator),
    SeatHandedOver: _hand_over,
    SeatTakenBack: _take_back,
    GameAborted: _abort,
    ClockExtended: lambda _before, _append, owed: ExtendClock(owed.milliseconds),
    BidMade: lambda _before, _append, made: MakeBid(made.seat, made.bid),
    Passed: lambda _before, _append, passed: Pass(passed.seat),
    TrumpNamed: lambda _before, _append, named: NameTrump(named.seat, named.trump),
    CardPlayed: lambda _before, _append, played: PlayCard(played.seat, played.card),
}
"""By the event that an append begins with: a command that leads to it, if any does."""

BY_PLAYERS = frozenset({Cause.PLAYER})
_BY_TIME = frozenset({Cause.TIMEOUT})
CAUSES: dict[type[Command], frozenset[Cause]] = {
    **dict.fromkeys(Action.__args__, frozenset({Cause.PLAYER, Cause.BOT, Cause.TIMEOUT})),
    TakeOver: _BY_TIME,
    Expire: _BY_TIME,
    ExtendClock: frozenset({Cause.SYSTEM}),
}
