"""What commands about seats, start and abort make happen, before the start and after it."""

from typing import TypeGuard

from events.catalogue import (
    BotSeated,
    EntropyGiven,
    Event,
    GameAborted,
    GameStarted,
    SeatHandedOver,
    SeatInvited,
    SeatLeft,
    SeatTaken,
    SeatTakenBack,
)
from events.vocabulary import PlayerId, Seat
from service.game import bot_engine
from service.game.commands import (
    AbortGame,
    GiveEntropy,
    InvitePlayer,
    LeaveSeat,
    SeatBot,
    StartGame,
    TakeSeat,
)
from service.game.refusals import Reason, Refusal
from service.game.state import Bidding, Game, Gathering, Kind, Place, Setup, seat_of

Decision = tuple[Event, ...] | Refusal
UNCHANGED: tuple[Event, ...] = ()
_NO_SEAT = Refusal(Reason.SEAT_UNKNOWN, "The table has no such seat.")
_STARTED = Refusal(Reason.ALREADY_STARTED, "The game has started.")
_NOT_CREATOR = Refusal(Reason.NOT_CREATOR, "Only the game's creator may do this.")


def take_seat(game: Game, command: TakeSeat) -> Decision:
    """Sit down, move before the start, take one's own seat back after it."""
    if command.seat is not None and not _is_seat(game.setup, command.seat):
        return _NO_SEAT
    if isinstance(game, Gathering):
        return _sit_down(game, command)
    if command.entropy is not None:
        return Refusal(Reason.ALREADY_STARTED, "Entropy is frozen at the start.")
    return _sit_down_again(game, command)


def _sit_down(game: Gathering, command: TakeSeat) -> Decision:
    mine = seat_of(game, command.player)
    seat = _seat_wanted(game.setup, command, mine)
    if isinstance(seat, Refusal):
        return seat
    events: tuple[Event, ...] = UNCHANGED
    if seat != mine:
        refusal = _why_not_free(game.setup, command, seat)
        if refusal:
            return refusal
        events = (SeatTaken(seat, command.player),)
    if command.entropy is not None and (events or _entropy(game, seat) != command.entropy):
        events = (*events, EntropyGiven(seat, command.entropy))
    return _with_automatic_start(game.setup, events, seat if seat != mine else None, mine)


def _seat_wanted(setup: Setup, command: TakeSeat, mine: Seat | None) -> Seat | Refusal:
    if command.seat is not None:
        return command.seat
    if mine is not None:
        return mine
    for seat, place in enumerate(setup.places):
        if place.kind is Kind.OPEN and place.reserved_for == command.player:
            return Seat(seat)
    for seat, place in enumerate(setup.places):
        if place.kind is Kind.OPEN and not _is_kept_from(place, command):
            return Seat(seat)
    return Refusal(Reason.NO_OPEN_SEAT, "No seat is open.")


def _why_not_free(setup: Setup, command: TakeSeat, seat: Seat) -> Refusal | None:
    place = setup.places[seat]
    if place.kind is not Kind.OPEN:
        return Refusal(Reason.SEAT_TAKEN, f"Seat {seat} is taken.")
    if command.is_bot and not setup.allow_bots:
        return Refusal(Reason.BOTS_NOT_ALLOWED, "This game is for people only.")
    if _is_kept_from(place, command):
        return Refusal(Reason.SEAT_RESERVED, f"Seat {seat} is kept for another player.")
    return None


def _is_kept_from(place: Place, command: TakeSeat) -> bool:
    if place.reserved_for in (None, command.player):
        return False
    return command.now < place.reserved_until


def _entropy(game: Game, seat: Seat) -> str | None:
    return game.setup.places[seat].entropy


def _with_automatic_start(
    setup: Setup, events: tuple[Event, ...], filled: Seat | None, vacated: Seat | None = None
) -> tuple[Event, ...]:
    if filled is None or vacated is not None or setup.start != "auto":
        return events
    others = (place for seat, place in enumerate(setup.places) if seat != filled)
    if any(place.kind is Kind.OPEN for place in others):
        return events
    return (*events, GameStarted())


def _sit_down_again(game: Game, command: TakeSeat) -> Decision:
    mine = seat_of(game, command.player)
    if mine is not None:
        return _take_back(game, command, mine)
    mine_before = (seat for player, seat in game.setup.held if player == command.player)
    held = next(map(Seat, mine_before), None)
    if held is not None and command.seat not in (None, held):
        return Refusal(
            Reason.HELD_ANOTHER_SEAT, "Who has held another seat of this game may not sit."
        )
    seat = _seat_wanted(game.setup, command, held)
    if isinstance(seat, Refusal):
        return seat
    return _why_not_free(game.setup, command, seat) or (SeatTaken(seat, command.player),)


def _take_back(game: Game, command: TakeSeat, mine: Seat) -> Decision:
    if command.seat not in (None, mine):
        return Refusal(Reason.ALREADY_SEATED, f"You have seat {mine} in this game.")
    if game.setup.places[mine].acting_bot:
        return (SeatTakenBack(mine),)
    return UNCHANGED


def leave_seat(game: Game, command: LeaveSeat) -> Decision:
    """Empty a seat before the start; after it hand one's own to a bot, or open a bot-held one."""
    if not _is_seat(game.setup, command.seat):
        return _NO_SEAT
    place = game.setup.places[command.seat]
    is_own, is_creator = place.player == command.by, game.setup.creator == command.by
    if not is_own and not is_creator:
        return Refusal(Reason.NOT_SEATED, f"Seat {command.seat} is not yours.")
    if isinstance(game, Gathering):
        return _empty(game, command.seat)
    if is_own:
        return _hand_over(place, command.seat)
    if place.kind is Kind.OPEN:
        return UNCHANGED
    return (SeatLeft(command.seat),) if place.acting_bot else _STARTED


def _empty(game: Gathering, seat: Seat) -> Decision:
    setup, place = game.setup, game.setup.places[seat]
    if place.kind is Kind.OPEN and place.reserved_for is None:
        return UNCHANGED
    others = [other for other in setup.places if other.player not in (None, place.player)]
    if place.player == setup.creator and not others:
        return (SeatLeft(seat), GameAborted())
    return (SeatLeft(seat),)


def _hand_over(place: Place, seat: Seat) -> Decision:
    if place.left:
        return UNCHANGED
    return (SeatHandedOver(seat, bot_engine.TAKEOVER_LEVEL, bot_engine.VERSION, left=True),)


def seat_bot(game: Game, command: SeatBot) -> Decision:
    """Give an open seat to a bot, or a bot another level."""
    refusal = _why_not_arrange(game, command.by, command.seat)
    if refusal:
        return refusal
    place = game.setup.places[command.seat]
    if place.kind is Kind.HUMAN:
        return Refusal(Reason.SEAT_TAKEN, f"Seat {command.seat} is taken.")
    if place.kind is Kind.BOT and place.level == command.level:
        return UNCHANGED
    seated = (BotSeated(command.seat, command.level, bot_engine.VERSION),)
    return _with_automatic_start(game.setup, seated, command.seat)


def invite_player(game: Game, command: InvitePlayer) -> Decision:
    """Keep an open seat for a player."""
    refusal = _why_not_arrange(game, command.by, command.seat)
    if refusal:
        return refusal
    if game.setup.places[command.seat].kind is not Kind.OPEN:
        return Refusal(Reason.SEAT_TAKEN, f"Seat {command.seat} is taken.")
    if seat_of(game, command.player) is not None:
        return Refusal(Reason.ALREADY_SEATED, "This player has a seat in this game.")
    return (SeatInvited(command.seat, command.player, command.until),)


def give_entropy(game: Game, command: GiveEntropy) -> Decision:
    """Add to the shuffle of a game that has not started."""
    if not _is_seat(game.setup, command.seat):
        return _NO_SEAT
    if game.setup.places[command.seat].player != command.by:
        return Refusal(Reason.NOT_SEATED, f"Seat {command.seat} is not yours.")
    if not isinstance(game, Gathering):
        return Refusal(Reason.ALREADY_STARTED, "Entropy is frozen at the start.")
    if _entropy(game, command.seat) == command.entropy:
        return UNCHANGED
    return (EntropyGiven(command.seat, command.entropy),)


def start_game(game: Game, command: StartGame) -> Decision:
    """Begin a game whose start is manual."""
    setup = game.setup
    if command.by != setup.creator:
        return _NOT_CREATOR
    if not isinstance(game, Gathering):
        return _STARTED
    if setup.start != "manual":
        return Refusal(Reason.STARTS_BY_ITSELF, "This game starts when no seat is open.")
    if any(place.kind is Kind.OPEN for place in setup.places):
        return Refusal(Reason.SEATS_STILL_OPEN, "A seat is still open.")
    return (GameStarted(),)


def abort_game(game: Game, command: AbortGame) -> Decision:
    """End the game before the first call of round 1."""
    if command.by != game.setup.creator:
        return _NOT_CREATOR
    if isinstance(game, Gathering) or is_before_first_call(game):
        return (GameAborted(),)
    return Refusal(Reason.TOO_LATE_TO_ABORT, "The first call has been made.")


def is_before_first_call(game: Game) -> TypeGuard[Bidding]:
    """Whether the cards of round 1 are dealt and nobody has called."""
    return isinstance(game, Bidding) and game.dealt.number == 1 and not game.auction


def _why_not_arrange(game: Game, by: PlayerId, seat: Seat) -> Refusal | None:
    if not _is_seat(game.setup, seat):
        return _NO_SEAT
    if by != game.setup.creator:
        return _NOT_CREATOR
    return None if isinstance(game, Gathering) else _STARTED


def _is_seat(setup: Setup, seat: Seat) -> bool:
    return 0 <= seat < setup.players
