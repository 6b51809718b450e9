"""Events as the few bytes that are stored, and back (architecture decisions 2 and 3).

A stored body is one code, which names an event type and its schema version, and its fields: plain
characters for what happens every few seconds, JSON for the rest. A code is never reused: when a
schema changes, the event gets a new code and the decoder of the old one makes today's event of it
(its upcaster).
"""

import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import orjson

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
from events.vocabulary import BIDS, CARDS, NO_CARDS, BotLevel, Hand, OnTimeout, Seat, Trump

SEATS = 4
_DECK = (1 << len(CARDS)) - 1
_DEAL = re.compile(rb"[0-3](?:[0-9a-f]{6}){2,4}(?:/[0-9a-f]{6})?")
_STORED_TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("seat", "until", "players", "rules_version"), (int,)),
    **dict.fromkeys(("milliseconds", "expires_in", "turn_seconds"), (int,)),
    **dict.fromkeys(("player", "engine", "entropy", "level"), (str,)),
    **dict.fromkeys(("creator", "visibility", "start", "seed"), (str,)),
    **dict.fromkeys(("left", "hints", "allow_bots"), (bool,)),
    "rules": (dict,),
    "clock": (dict, type(None)),
    "on_timeout": (str,),
    "rematch_of": (str, type(None)),
}


class CorruptEntry(Exception):
    """Stored bytes that are no event of any schema version; the message holds no card."""


def encode(event: Event) -> bytes:
    """The stored body of an event."""
    code, write = _WRITERS[type(event)]
    return code + write(event)


def decode(body: bytes) -> Event:
    """The event of a stored body, of this or any earlier schema; raises CorruptEntry."""
    known = KNOWN.get(body)
    if known is not None:
        return known
    try:
        return READERS[body[:1]](body[1:])
    except (KeyError, ValueError, TypeError, IndexError, AttributeError):
        raise CorruptEntry(f"code {body[:1]!r}, {len(body)} bytes") from None


def _write_json(event: Any) -> bytes:
    return orjson.dumps({field.name: getattr(event, field.name) for field in fields(event)})


def _write_created(event: GameCreated) -> bytes:
    stored = {field.name: getattr(event, field.name) for field in fields(event)}
    clock = event.clock and {
        "turn_seconds": event.clock.turn_seconds,
        "on_timeout": event.clock.on_timeout,
    }
    changed = {"rules": dict(event.rules), "seed": event.seed.hex(), "clock": clock}
    return orjson.dumps({**stored, **changed})


def _read_json(body: bytes) -> dict[str, Any]:
    stored: dict[str, Any] = orjson.loads(body)
    _check_types(stored)
    if not 0 <= stored.get("seat", 0) < SEATS:
        raise ValueError("no such seat")
    return stored


def _check_types(stored: dict[str, Any]) -> None:
    for name, value in stored.items():
        if type(value) not in _STORED_TYPES[name]:
            raise TypeError(name)


def _read_created(body: bytes) -> GameCreated:
    stored = _read_json(body)
    clock = stored["clock"] and _read_clock(stored["clock"])
    return GameCreated(**{**stored, "seed": bytes.fromhex(stored["seed"]), "clock": clock})


def _read_clock(stored: dict[str, Any]) -> Clock:
    _check_types(stored)
    return Clock(**{**stored, "on_timeout": OnTimeout(stored["on_timeout"])})


def _read_created_without_clock(body: bytes) -> GameCreated:
    stored = _read_json(body)
    return GameCreated(**{**stored, "seed": bytes.fromhex(stored["seed"])})


def _read_bot_seated(body: bytes) -> BotSeated:
    stored = _read_json(body)
    return BotSeated(**{**stored, "level": BotLevel(stored["level"])})


def _read_handed_over(body: bytes) -> SeatHandedOver:
    stored = _read_json(body)
    return SeatHandedOver(**{**stored, "level": BotLevel(stored["level"])})


def _write_deal(event: RoundDealt) -> bytes:
    hands = "".join(f"{hand:06x}" for hand in event.hands)
    dead_hand = f"/{event.dead_hand:06x}" if event.dead_hand else ""
    return f"{event.dealer}{hands}{dead_hand}".encode()


def _read_deal(body: bytes) -> RoundDealt:
    if not _DEAL.fullmatch(body):
        raise ValueError("no deal")
    dealer, at, dead = Seat(int(body[:1])), body.find(b"/"), NO_CARDS
    if at > 0:
        body, dead = body[:at], Hand(int(body[at + 1 :], 16))
    masks = tuple(Hand(int(body[at : at + 6], 16)) for at in range(1, len(body), 6))
    cards = dead
    for mask in masks:
        cards = Hand(cards | mask)
    if dealer >= len(masks) or not cards == sum(masks) + dead == _DECK:
        raise ValueError("a deal gives each of the 24 cards once")
    return RoundDealt(dealer, masks, dead)


_WRITERS: dict[type[Event], tuple[bytes, Callable[[Any], bytes]]] = {
    GameCreated: (b"n", _write_created),
    SeatTaken: (b"s", _write_json),
    SeatLeft: (b"l", _write_json),
    SeatInvited: (b"i", _write_json),
    BotSeated: (b"b", _write_json),
    EntropyGiven: (b"e", _write_json),
    GameStarted: (b"g", lambda _event: b""),
    SeatHandedOver: (b"h", _write_json),
    SeatTakenBack: (b"k", _write_json),
    GameAborted: (b"a", lambda _event: b""),
    ClockExtended: (b"x", _write_json),
    RoundDealt: (b"d", _write_deal),
    BidMade: (b"B", lambda event: b"%d%d" % (event.seat, event.bid.number)),
    Passed: (b"P", lambda event: b"%d" % event.seat),
    TrumpNamed: (b"T", lambda event: b"%d%d" % (event.seat, event.trump.number)),
    CardPlayed: (b"C", lambda event: b"%d%s" % (event.seat, event.card.encode())),
}

READERS: dict[bytes, Callable[[bytes], Event]] = {
    b"c": _read_created_without_clock,
    b"n": _read_created,
    b"s": lambda body: SeatTaken(**_read_json(body)),
    b"l": lambda body: SeatLeft(**_read_json(body)),
    b"i": lambda body: SeatInvited(**_read_json(body)),
    b"b": _read_bot_seated,
    b"e": lambda body: EntropyGiven(**_read_json(body)),
    b"h": _read_handed_over,
    b"k": lambda body: SeatTakenBack(**_read_json(body)),
    b"x": lambda body: ClockExtended(**_read_json(body)),
    b"d": _read_deal,
}
"""By code: what makes an event of the bytes after it. Old codes stay here for ever."""


def _few() -> list[Event]:
    seats = [Seat(seat) for seat in range(SEATS)]
    return [
        GameStarted(),
        GameAborted(),
        *(Passed(seat) for seat in seats),
        *(BidMade(seat, bid) for seat in seats for bid in BIDS),
        *(TrumpNamed(seat, trump) for seat in seats for trump in Trump),
        *(CardPlayed(seat, card) for seat in seats for card in CARDS),
    ]


KNOWN: dict[bytes, Event] = {encode(event): event for event in _few()}
"""The few events that most entries are, by body; shared, since events never change."""
