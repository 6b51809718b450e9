"""Every event of a game's log, in the order in which a game meets them (architecture decision 2).

The log holds what happened (lifecycle, chance and the players' actions), not what follows from it:
tricks, scores and winners are what the rules make of it. Events are past tense and never change.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from events.vocabulary import Bid, BotLevel, Card, GameId, Hand, PlayerId, Seat, Trump


@dataclass(frozen=True, slots=True)
class GameCreated:
    """A game was set up; always the first event. `seed` (32 bytes) is private until the end."""

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
    | RoundDealt
    | BidMade
    | Passed
    | TrumpNamed
    | CardPlayed
)
