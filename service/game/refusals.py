"""Why a command was turned down: values with stable codes, never exceptions."""

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """The stable code of every refusal that a game can give."""

    NOT_SEATED = "not-seated"
    NOT_CREATOR = "not-creator"
    SEAT_UNKNOWN = "seat-unknown"
    SEAT_TAKEN = "seat-taken"
    SEAT_RESERVED = "seat-reserved"
    NO_OPEN_SEAT = "no-open-seat"
    ALREADY_SEATED = "already-seated"
    HELD_ANOTHER_SEAT = "held-another-seat"
    BOTS_NOT_ALLOWED = "bots-not-allowed"
    ALREADY_STARTED = "already-started"
    NOT_STARTED = "not-started"
    STARTS_BY_ITSELF = "starts-by-itself"
    SEATS_STILL_OPEN = "seats-still-open"
    TOO_LATE_TO_ABORT = "too-late-to-abort"
    GAME_OVER = "game-over"
    GAME_NOT_FINISHED = "game-not-finished"
    WRONG_PHASE = "wrong-phase"
    NOT_YOUR_TURN = "not-your-turn"
    BOT_IS_ACTING = "bot-is-acting"
    BID_NOT_IN_LIST = "bid-not-in-list"
    BID_TOO_LOW = "bid-too-low"
    MUST_BID = "must-bid"
    TRUMP_NOT_ALLOWED = "trump-not-allowed"
    CARD_NOT_IN_HAND = "card-not-in-hand"
    MUST_FOLLOW_SUIT = "must-follow-suit"
    RULES_INVALID = "rules-invalid"
    SEATS_INVALID = "seats-invalid"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A command turned down; `detail` is one sentence for a person, naming no hidden card."""

    reason: Reason
    detail: str = ""
