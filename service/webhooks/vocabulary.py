"""The closed sets of webhooks, with the spellings that are stored and shown."""

from enum import StrEnum


class Topic(StrEnum):
    """What a webhook can be told of."""

    TURN = "turn"
    GAME_STARTED = "game_started"
    GAME_FINISHED = "game_finished"
    INVITED = "invited"


class Disabled(StrEnum):
    """Why a webhook is told nothing."""

    OWNER = "owner"
    FAILING = "failing"
    GONE = "gone"


class Outcome(StrEnum):
    """How a try to deliver ended; all but the first are failures."""

    DELIVERED = "delivered"
    REFUSED = "refused"
    REDIRECTED = "redirected"
    TIMED_OUT = "timed_out"
    UNREACHABLE = "unreachable"
    ADDRESS_FORBIDDEN = "address_forbidden"
    TLS_FAILED = "tls_failed"
