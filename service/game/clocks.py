"""When a game must move by itself: deadlines of turns, expiry, and what happens then."""

from collections.abc import Sequence

from events.catalogue import (
    Clock,
    ClockExtended,
    Event,
    GameAborted,
    SeatHandedOver,
)
from events.store import Due
from events.vocabulary import OnTimeout, Seat
from service.game import bot_engine
from service.game.commands import Expire, ExtendClock, TakeOver
from service.game.position import BEGIN_TURNS, Position
from service.game.refusals import Reason, Refusal
from service.game.state import Game, Gathering, Kind, is_bot_turn, is_over, seat_to_act

BOT_TURN_GRACE = 3000
"""Milliseconds after which a game that waits for a bot is looked at again."""

_NO_CLOCK = Refusal(Reason.WRONG_PHASE, "No clock runs.")


def running_clock(game: Game) -> Clock | None:
    """The clock that runs for the person on turn, None if none does."""
    if seat_to_act(game) is None or is_bot_turn(game):
        return None
    return game.setup.clock


def deadline(position: Position) -> int | None:
    """When the time of the person on turn is over, in milliseconds since 1970."""
    clock = running_clock(position.game)
    if clock is None:
        return None
    return position.turn_since + clock.turn_seconds * 1000 + position.extended


def expires_at(position: Position) -> int | None:
    """When a game that waits without a clock is ended, in milliseconds since 1970."""
    game, setup = position.game, position.game.setup
    if is_over(game) or (setup.clock is not None and not isinstance(game, Gathering)):
        return None
    return position.updated_at + setup.expires_in * 1000


def due_at(position: Position) -> int | None:
    """When to look again at a game as it is, in milliseconds since 1970; None if never."""
    if is_bot_turn(position.game):
        return position.updated_at + BOT_TURN_GRACE
    ends = deadline(position)
    return expires_at(position) if ends is None else ends


def due_after(before: Position | None, events: Sequence[Event], game: Game) -> Due | None:
    """When to look again at a game of which some events have made this."""
    if is_over(game):
        return None
    if is_bot_turn(game):
        return Due(BOT_TURN_GRACE)
    clock = running_clock(game)
    if clock is None:
        return Due(game.setup.expires_in * 1000)
    turn = clock.turn_seconds * 1000
    if before is None or any(type(event) in BEGIN_TURNS for event in events):
        return Due(turn)
    given = sum(event.milliseconds for event in events if isinstance(event, ClockExtended))
    return Due(turn + before.extended + given, before.turn_since)


def take_over(game: Game, command: TakeOver) -> tuple[Event, ...] | Refusal:
    """Hand the seat of a person whose time is over to a bot."""
    clock = running_clock(game)
    if clock is None or clock.on_timeout is not OnTimeout.BOT_TAKES_OVER:
        return _NO_CLOCK
    if seat_to_act(game) != command.seat:
        return Refusal(Reason.NOT_YOUR_TURN, f"It is the turn of seat {seat_to_act(game)}.")
    return (_handed_over(command.seat),)


def extend_clock(game: Game, command: ExtendClock) -> tuple[Event, ...] | Refusal:
    """Give the person on turn the time back for which the service was away."""
    seat = seat_to_act(game)
    if running_clock(game) is None or seat is None:
        return _NO_CLOCK
    return (ClockExtended(seat, command.milliseconds),)


def expire(game: Game, _command: Expire) -> tuple[Event, ...]:
    """End a game that nobody has begun; let bots finish one that persons have given up."""
    if isinstance(game, Gathering):
        return (GameAborted(),)
    return tuple(
        _handed_over(Seat(seat))
        for seat, place in enumerate(game.setup.places)
        if place.kind is Kind.HUMAN and not place.acting_bot
    )


def _handed_over(seat: Seat) -> SeatHandedOver:
    return SeatHandedOver(seat, bot_engine.TAKEOVER_LEVEL, bot_engine.VERSION, left=False)
