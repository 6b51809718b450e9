"""Every event of a game's log, in the order in which a game meets them (architecture decision 2).

The log holds what happened (lifecycle, chance and the players' actions), not what follows from it:
tricks, scores and winners are what the rules make of it. Events are past tense and never change.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from events.vocabulary import (
    Bid,
    BotLevel,
    Card,
    GameId,
    Hand,
    OnTimeout,
    PlayerId,
    Seat,
    Trump,
)

EXPIRES_IN = 30 * 24 * 3600
"""Seconds without any event after which a game is ended, unless its own say otherwise."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The seconds that a person has for each turn, and what happens when they are over."""

    turn_seconds: int
    on_timeout: OnTimeout


@dataclass(frozen=True, slots=True)
class GameCreated:
    """A game was set up; always the first event. `seed` (32 bytes) is private until the end.

    `expires_in`: seconds without any event after which it is ended for want of players.
    """

    players: int
    rules: Mapping[str, str | int | bool]
    rules_version: int
    creator: PlayerId
    visibility: str
    start: str
    hints: bool
    allow_bots: bool
    seed: bytes
    rematch_of: GameId | None = None
    clock: Clock | None = None
    expires_in: int = EXPIRES_IN


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """A player sat down: at an open seat before the start, as a substitute after it."""

    seat: Seat
    player: PlayerId


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A seat became open again."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class SeatInvited:
    """An open seat is kept for one player until a time (milliseconds since 1970)."""

    seat: Seat
    player: PlayerId
    until: int


@dataclass(frozen=True, slots=True)
class BotSeated:
    """A bot of a level and engine version was given a seat before the start."""

    seat: Seat
    level: BotLevel
    engine: str


@dataclass(frozen=True, slots=True)
class EntropyGiven:
    """A seated person added 1 to 64 printable ASCII characters to the shuffle; public for ever."""

    seat: Seat
    entropy: str


@dataclass(frozen=True, slots=True)
class GameStarted:
    """The seats are settled and the first round is about to be dealt."""


@dataclass(frozen=True, slots=True)
class SeatHandedOver:
    """A bot acts for a person from now on; `left` says that the person went away."""

    seat: Seat
    level: BotLevel
    engine: str
    left: bool


@dataclass(frozen=True, slots=True)
class SeatTakenBack:
    """A person acts for themselves again."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class GameAborted:
    """The game ended without a result."""


@dataclass(frozen=True, slots=True)
class ClockExtended:
    """The person on turn was given back the milliseconds for which the service was away."""

    seat: Seat
    milliseconds: int


@dataclass(frozen=True, slots=True)
class RoundDealt:
    """The cards of a round, one hand a seat; `dead_hand` is empty unless two play (R7)."""

    dealer: Seat
    hands: tuple[Hand, ...]
    dead_hand: Hand


@dataclass(frozen=True, slots=True)
class BidMade:
    """A seat bid."""

    seat: Seat
    bid: Bid


@dataclass(frozen=True, slots=True)
class Passed:
    """A seat passed."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class TrumpNamed:
    """The declarer named trump, no trump or low."""

    seat: Seat
    trump: Trump


@dataclass(frozen=True, slots=True)
class CardPlayed:
    """A seat played one card from its hand to the trick."""

    seat: Seat
    card: Card


Event = (
    GameCreated
    | SeatTaken
    | SeatLeft
    | SeatInvited
    | BotSeated
    | EntropyGiven
    | GameStarted
    | SeatHandedOver
    | SeatTakenBack
    | GameAborted
    | ClockExtended
    | RoundDealt
    | BidMade
    | Passed
    | TrumpNamed
    | CardPlayed
)
