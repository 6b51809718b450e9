"""What may be asked of a game: commands, imperative, each by a seat or a player."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from events.catalogue import EXPIRES_IN, Clock
from events.vocabulary import Bid, BotLevel, Card, GameId, PlayerId, Seat, Trump


@dataclass(frozen=True, slots=True)
class SeatWish:
    """What the creator wants at one seat: `open`, `me`, `bot` with a level, or `player` invited."""

    kind: str
    level: BotLevel | None = None
    player: PlayerId | None = None


@dataclass(frozen=True, slots=True)
class CreateGame:
    """Set up a game; `now` is in milliseconds since 1970, `seats` has one wish a seat.

    `expires_in`: seconds without any event after which it is ended.
    """

    creator: PlayerId
    players: int
    seats: tuple[SeatWish, ...]
    rules: Mapping[str, str | int | bool] = field(default_factory=dict)
    visibility: str = "unlisted"
    start: str = "auto"
    hints: bool = False
    allow_bots: bool = True
    creator_is_bot: bool = False
    rematch_of: GameId | None = None
    now: int = 0
    clock: Clock | None = None
    expires_in: int = EXPIRES_IN


@dataclass(frozen=True, slots=True)
class TakeSeat:
    """Sit down, move to another seat, or take one's own seat back; None is the lowest open one."""

    player: PlayerId
    seat: Seat | None
    is_bot: bool
    now: int
    entropy: str | None = None


@dataclass(frozen=True, slots=True)
class LeaveSeat:
    """Empty a seat before the start, hand one's own to a bot after it; `by` is who asks."""

    by: PlayerId
    seat: Seat


@dataclass(frozen=True, slots=True)
class SeatBot:
    """The creator gives an open seat to a bot, or a bot another level."""

    by: PlayerId
    seat: Seat
    level: BotLevel


@dataclass(frozen=True, slots=True)
class InvitePlayer:
    """The creator keeps an open seat for a player until a time in milliseconds since 1970."""

    by: PlayerId
    seat: Seat
    player: PlayerId
    until: int


@dataclass(frozen=True, slots=True)
class GiveEntropy:
    """A seated person adds to the shuffle; 1 to 64 printable ASCII characters."""

    by: PlayerId
    seat: Seat
    entropy: str


@dataclass(frozen=True, slots=True)
class StartGame:
    """The creator of a game with a manual start begins it."""

    by: PlayerId


@dataclass(frozen=True, slots=True)
class AbortGame:
    """The creator ends the game before the first call of round 1."""

    by: PlayerId


@dataclass(frozen=True, slots=True)
class TakeOver:
    """A bot takes the seat over whose person has run out of time."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class ExtendClock:
    """Milliseconds are given back to the person on turn."""

    milliseconds: int


@dataclass(frozen=True, slots=True)
class Expire:
    """A game has waited too long for persons who do not come."""


@dataclass(frozen=True, slots=True)
class MakeBid:
    """A seat bids."""

    seat: Seat
    bid: Bid


@dataclass(frozen=True, slots=True)
class Pass:
    """A seat passes."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class NameTrump:
    """The declarer names trump."""

    seat: Seat
    trump: Trump


@dataclass(frozen=True, slots=True)
class PlayCard:
    """A seat plays a card."""

    seat: Seat
    card: Card


Action = MakeBid | Pass | NameTrump | PlayCard
Lifecycle = TakeSeat | LeaveSeat | SeatBot | InvitePlayer | GiveEntropy | StartGame | AbortGame
Timing = TakeOver | ExtendClock | Expire
Command = Lifecycle | Timing | Action
