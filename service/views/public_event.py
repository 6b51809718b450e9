"""Events as anybody may see them, and the hash of a log that gives no hidden card away."""

import hmac
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any

from events.catalogue import (
    BidMade,
    BotSeated,
    CardPlayed,
    Clock,
    ClockExtended,
    EntropyGiven,
    Event,
    GameAborted,
    GameCreated,
    GameStarted,
    Passed,
    RoundDealt,
    SeatHandedOver,
    SeatInvited,
    SeatLeft,
    SeatTaken,
    SeatTakenBack,
    TrumpNamed,
)
from events.store import Recorded
from events.vocabulary import Cause, GameId, cards_in
from service.game.state import Game
from service.rules.fair_shuffle import commitment
from service.views.canonical import canonical, rfc3339
from service.views.shapes import ByShape, ClockShape, PublicEvent


def clock_shape(clock: Clock | None) -> ClockShape | None:
    """A game's clock as anybody may see it."""
    if clock is None:
        return None
    return {"turn_seconds": clock.turn_seconds, "on_timeout": clock.on_timeout.value}


_KINDS: dict[Cause, Any] = {
    Cause.PLAYER: "player",
    Cause.BOT: "bot",
    Cause.TIMEOUT: "timeout",
    Cause.SYSTEM: "system",
}
_PUBLIC: dict[type[Event], Callable[[Any], PublicEvent]] = {
    GameCreated: lambda event: {
        "type": "game_created",
        "players": event.players,
        "rules": dict(event.rules),
        "rules_version": event.rules_version,
        "creator": event.creator,
        "visibility": event.visibility,
        "start": event.start,
        "hints": event.hints,
        "allow_bots": event.allow_bots,
        "rematch_of": event.rematch_of,
        "clock": clock_shape(event.clock),
        "expires_in": event.expires_in,
        "commitment": commitment(event.seed),
    },
    SeatTaken: lambda event: {"type": "seat_taken", "seat": event.seat, "player": event.player},
    SeatLeft: lambda event: {"type": "seat_left", "seat": event.seat},
    SeatInvited: lambda event: {
        "type": "seat_invited",
        "seat": event.seat,
        "player": event.player,
        "until": rfc3339(event.until),
    },
    BotSeated: lambda event: {
        "type": "bot_seated",
        "seat": event.seat,
        "level": event.level.value,
        "engine": event.engine,
    },
    EntropyGiven: lambda event: {
        "type": "entropy_given",
        "seat": event.seat,
        "entropy": event.entropy,
    },
    GameStarted: lambda _event: {"type": "game_started"},
    SeatHandedOver: lambda event: {
        "type": "seat_handed_over",
        "seat": event.seat,
        "level": event.level.value,
        "engine": event.engine,
        "left": event.left,
    },
    SeatTakenBack: lambda event: {"type": "seat_taken_back", "seat": event.seat},
    GameAborted: lambda _event: {"type": "game_aborted"},
    ClockExtended: lambda event: {
        "type": "clock_extended",
        "seat": event.seat,
        "milliseconds": event.milliseconds,
    },
    RoundDealt: lambda event: {"type": "round_dealt", "dealer": event.dealer},
    BidMade: lambda event: {"type": "bid", "seat": event.seat, "bid": event.bid.value},
    Passed: lambda event: {"type": "passed", "seat": event.seat},
    TrumpNamed: lambda event: {
        "type": "trump_named",
        "seat": event.seat,
        "trump": event.trump.value,
    },
    CardPlayed: lambda event: {
        "type": "card_played",
        "seat": event.seat,
        "card": event.card.value,
    },
}


def public_event(recorded: Recorded, before: Game | None) -> PublicEvent:
    """What anybody may see of an entry; `before` tells the level of a bot that acted."""
    event = _PUBLIC[type(recorded.event)](recorded.event)
    event["by"] = _by(recorded, before)
    return event


def _by(recorded: Recorded, before: Game | None) -> ByShape:
    by: ByShape = {"kind": _KINDS[recorded.cause]}
    seat = getattr(recorded.event, "seat", None)
    if recorded.cause is Cause.BOT and before is not None and seat is not None:
        level = before.setup.places[seat].level
        if level is not None:
            by["level"] = level.value
    return by


class LogChain:
    """The hash of a log, entry by entry, in hexadecimal.

    log_hash(0) is SHA-256 of the game id, log_hash(v) is SHA-256(log_hash(v-1) || entry v). An
    entry is the canonical JSON of its version, time, `by` (the kind alone) and public event. A deal
    adds `hands`: HMAC-SHA256(seed, "deal" || JSON of the hands and the dead hand, as lists of
    cards), so that no guess of hidden cards can be tested before the seed is open.
    """

    def __init__(self, game: GameId) -> None:
        self._chain, self._seed = sha256(game.encode()).digest(), b""

    def add(self, recorded: Recorded) -> str:
        """The hash after the next entry."""
        if isinstance(recorded.event, GameCreated):
            self._seed = recorded.event.seed
        self._chain = sha256(self._chain + canonical(_hashed(recorded, self._seed))).digest()
        return self._chain.hex()


def log_hashes(game: GameId, log: Iterable[Recorded]) -> Iterator[str]:
    """The hash of the log after each entry (see LogChain)."""
    chain = LogChain(game)
    return (chain.add(recorded) for recorded in log)


def _hashed(recorded: Recorded, seed: bytes) -> PublicEvent:
    event = recorded.event
    hashed = _PUBLIC[type(event)](event)
    hashed["version"] = recorded.version
    hashed["at"] = rfc3339(recorded.at)
    hashed["by"] = _KINDS[recorded.cause]
    if isinstance(event, RoundDealt):
        hashed["hands"] = _sealed(event, seed)
    return hashed


def _sealed(event: RoundDealt, seed: bytes) -> str:
    hands = [list(cards_in(hand)) for hand in (*event.hands, event.dead_hand)]
    return hmac.digest(seed, b"deal" + canonical(hands), "sha256").hex()
