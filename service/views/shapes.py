"""The shapes of what clients receive, as in openapi.yaml: JSON-ready, and without secrets."""

from typing import Literal, NotRequired, TypedDict

Status = Literal["open", "in_progress", "finished", "aborted"]
Phase = Literal["auction", "naming_trump", "play"]
SeatKind = Literal["human", "bot", "open"]


class ActionBody(TypedDict):
    """One legal action, ready to POST."""

    type: str
    bid: NotRequired[str]
    trump: NotRequired[str]
    card: NotRequired[str]


class PlayerShape(TypedDict):
    """Who sits on a seat; names and the bot mark are added when an answer is written."""

    id: str
    name: NotRequired[str]
    bot: NotRequired[bool]


class SeatShape(TypedDict):
    """A place at the table."""

    seat: int
    side: int
    kind: SeatKind
    player: PlayerShape | None
    level: str | None
    cards: int
    acting_bot: bool
    left: bool
    sits_out: bool
    reserved_for: str | None


class YouShape(TypedDict):
    """What only this viewer knows; `legal_actions` is empty unless it is their turn."""

    seat: int
    hand: list[str]
    legal_actions: list[ActionBody]


class ClockShape(TypedDict):
    """The seconds of a turn, and what happens when they are over."""

    turn_seconds: int
    on_timeout: str


class TurnShape(TypedDict):
    """Who must act."""

    seats: list[int]
    deadline: str | None


class CallShape(TypedDict):
    """A bid or a pass."""

    seat: int
    call: str


class ContractShape(TypedDict):
    """What the declarer owes."""

    declarer: int
    bid: str
    trump: str | None


class PlayShape(TypedDict):
    """A card on the table."""

    seat: int
    card: str


class TrickShape(TypedDict):
    """A trick that is being played."""

    leader: int
    plays: list[PlayShape]


class TakenTrickShape(TypedDict):
    """A trick that was taken."""

    leader: int
    winner: int
    plays: list[PlayShape]


class RoundShape(TypedDict):
    """The round that is being played, or the last one."""

    number: int
    dealer: int
    auction: list[CallShape]
    contract: ContractShape | None
    trick: TrickShape | None
    tricks: list[TakenTrickShape]
    tricks_won: list[int]


class LastTrickShape(TakenTrickShape):
    """The trick taken last, and its round."""

    round: int


class LastRoundShape(TypedDict):
    """How the last complete round came out; `scores` are the totals after it."""

    number: int
    dealer: int
    auction: list[CallShape]
    contract: ContractShape | None
    tricks_won: list[int]
    points: list[int]
    scores: list[int]


class FairnessShape(TypedDict):
    """What proves the shuffle; `seed` is null until the game has ended."""

    commitment: str
    entropy: list[str | None]
    seed: str | None


class SeatView(TypedDict):
    """What one viewer (a seat, or a spectator with `you` null) may know at one version."""

    id: str
    url: str
    version: int
    status: Status
    phase: Phase | None
    players: int
    rules: dict[str, str | int | bool]
    clock: ClockShape | None
    hints: bool
    visibility: str
    start: str
    allow_bots: bool
    creator: str
    created_at: str
    updated_at: str
    finished_at: str | None
    expires_at: str | None
    seats: list[SeatShape]
    you: YouShape | None
    turn: TurnShape | None
    round: RoundShape | None
    last_trick: LastTrickShape | None
    last_round: LastRoundShape | None
    scores: list[int]
    winners: list[int] | None
    rematch: str | None
    rematch_of: str | None
    forked_from: None
    fairness: FairnessShape
    view_hash: str


class OpenView(SeatView):
    """A spectator's view of an ended game with every hand face up."""

    hands: list[list[str]]
    dead_hand: list[str] | None


class ByShape(TypedDict):
    """Who made an event happen; bots carry their level."""

    kind: Literal["player", "bot", "timeout", "system"]
    level: NotRequired[str]


PublicEvent = dict[str, object]
"""An event as anybody may see it: type, its public fields, by."""


class OutcomeShape(TypedDict):
    """What followed from an event: a trick taken, a round scored, the game over."""

    trick: NotRequired[LastTrickShape]
    round: NotRequired[LastRoundShape]
    game: NotRequired["GameOverShape"]


class GameOverShape(TypedDict):
    """How a game ended, and the seed that is open from then on."""

    status: Literal["finished", "aborted"]
    scores: list[int]
    winners: list[int] | None
    seed: str


class Frame(TypedDict):
    """One version of a game for one viewer; it stands alone."""

    type: Literal["event"]
    game: str
    version: int
    at: str
    event: PublicEvent
    outcome: OutcomeShape
    turn: TurnShape | None
    expires_at: str | None
    you: YouShape | None
    view_hash: str
    log_hash: str


class RoundRecord(TypedDict):
    """One round whole: `hands` as dealt, null where the viewer may not know them."""

    number: int
    dealer: int
    hands: list[list[str] | None]
    dead_hand: list[str] | None
    auction: list[CallShape]
    contract: ContractShape | None
    tricks: list[TakenTrickShape]
    tricks_won: list[int]
    points: list[int] | None
    scores: list[int] | None


class ReplaySeatShape(TypedDict):
    """Who sat on a seat at the end."""

    seat: int
    side: int
    kind: SeatKind
    player: PlayerShape | None
    level: str | None


class Replay(TypedDict):
    """A whole game, self-contained once it has ended."""

    id: str
    status: Status
    version: int
    players: int
    rules: dict[str, str | int | bool]
    created_at: str
    finished_at: str | None
    seats: list[ReplaySeatShape]
    rounds: list[RoundRecord]
    scores: list[int]
    winners: list[int] | None
    fairness: FairnessShape
    events: list[PublicEvent]
    log_hash: str
