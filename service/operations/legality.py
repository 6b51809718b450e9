"""Whether play could have made a log: every append, deals included, is what a command leads to."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from events.catalogue import (
    BotSeated,
    Event,
    GameCreated,
    RoundDealt,
    SeatHandedOver,
    SeatInvited,
)
from events.store import Recorded
from events.vocabulary import Cause, GameId
from service.game.clocks import deadline, expires_at
from service.game.commands import (
    Command,
    Expire,
)
from service.game.decide import Chance, Decision, decide
from service.game.founding import found
from service.game.position import Position, fold
from service.game.refusals import Refusal
from service.operations.commands_behind import BY_PLAYERS, CAUSES, COMMANDS, create_game
from service.projections.notices import appends_of
from service.rules import VERSION
from service.rules.fair_shuffle import SEED_BYTES
from service.table import caused

Append = Sequence[Recorded]


class Flaw(NamedTuple):
    """The first bad entry of a log, and why it is; names no card."""

    version: int
    why: str


def first_flaw(game: GameId, log: Sequence[Recorded]) -> Flaw | None:
    """The first entry that cannot be where it is, None if the log is as play makes one."""
    position: Position | None = None
    for append in appends_of(log):
        flaw = _time_flaw(position, append)
        flaw = flaw or (_flaw(position, append) if position else _founding_flaw(game, append))
        if flaw:
            return flaw
        position = fold(game, append, position)
    return None


def _time_flaw(before: Position | None, append: Append) -> Flaw | None:
    at = append[0].at
    if before is not None and at < before.updated_at:
        return Flaw(append[0].version, "time goes back")
    torn = (entry for entry in append if entry.at != at)
    return next((Flaw(entry.version, "one append at two times") for entry in torn), None)


def _founding_flaw(game: GameId, append: Append) -> Flaw | None:
    created, first = append[0].event, append[0].version
    if not isinstance(created, GameCreated):
        return Flaw(first, f"{_name(created)} before GameCreated")
    if created.rules_version not in range(1, VERSION + 1):
        return Flaw(first, f"rules version {created.rules_version} is unknown")
    if len(created.seed) != SEED_BYTES:
        return Flaw(first, "a seed of another length")
    events = [entry.event for entry in append]
    if absent := _absent_seat(append, created.players):
        return absent
    command = create_game(created, events)
    return _difference(append, found(command, Chance(created.seed, game)), _as_founded)


def _flaw(before: Position, append: Append) -> Flaw | None:
    first = append[0]
    if absent := _absent_seat(append, before.game.setup.players):
        return absent
    make = COMMANDS.get(type(first.event))
    if make is None:
        return Flaw(first.version, f"{_name(first.event)} begins no append")
    command = make(before, append, first.event)
    if first.cause not in CAUSES.get(type(command), BY_PLAYERS):
        return Flaw(first.version, f"{_name(first.event)} caused by {first.cause.name}")
    if first.cause is Cause.TIMEOUT and not _is_late(before, command, first.at):
        return Flaw(first.version, f"{_name(first.event)} before its time")
    chance = Chance(before.seed, before.id)
    return _difference(append, decide(before.game, command, chance, first.cause), _as_decided)


def _absent_seat(append: Append, players: int) -> Flaw | None:
    for entry in append:
        if getattr(entry.event, "seat", 0) >= players:
            return Flaw(entry.version, f"{_name(entry.event)} at a seat that is not there")
    return None


def _is_late(before: Position, command: Command, at: int) -> bool:
    ends = expires_at(before) if isinstance(command, Expire) else deadline(before)
    return ends is None or ends <= at  # where no clock runs the decider says so


def _difference(
    append: Append, decision: Decision, comparable: Callable[[Event], Event]
) -> Flaw | None:
    first = append[0]
    if isinstance(decision, Refusal):
        return Flaw(first.version, f"{_name(first.event)} is refused: {decision.reason}")
    if not decision:
        return Flaw(first.version, f"{_name(first.event)} changes nothing")
    for entry, made in zip(append, caused(decision, first.cause), strict=False):
        if comparable(entry.event) != comparable(made.event):
            return Flaw(entry.version, f"{_name(entry.event)} is not {_expected(made.event)}")
        if entry.cause is not made.cause:
            return Flaw(entry.version, f"{_name(entry.event)} caused by {entry.cause.name}")
    if len(append) > len(decision):
        extra = append[len(decision)]
        return Flaw(extra.version, f"{_name(extra.event)} does not follow")
    if len(append) < len(decision):
        missing = _name(decision[len(append)])
        return Flaw(append[-1].version, f"{missing} is missing after {_name(append[-1].event)}")
    return None


def _expected(event: Event) -> str:
    if isinstance(event, RoundDealt):
        return "the deal that the seed gives"
    return f"the {_name(event)} that follows"


def _as_decided(event: Event) -> Event:
    """The event without what a later version of this service may decide otherwise."""
    if isinstance(event, BotSeated | SeatHandedOver):
        return replace(event, engine="")
    return event


def _as_founded(event: Event) -> Event:
    """The same, without what a founding has from its time and from its rules version's defaults."""
    if isinstance(event, SeatInvited):
        return replace(event, until=0)
    if isinstance(event, GameCreated):
        return replace(event, rules={}, rules_version=VERSION)
    return _as_decided(event)


def _name(event: Event) -> str:
    return type(event).__name__
