"""Logs of real play are legal; every change to one is found, where it was made or soon after."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from events.catalogue import (
    BidMade,
    BotSeated,
    CardPlayed,
    ClockExtended,
    Event,
    GameAborted,
    GameCreated,
    GameStarted,
    RoundDealt,
    SeatHandedOver,
    SeatInvited,
    SeatLeft,
    SeatTaken,
    SeatTakenBack,
)
from events.memory_store import MemoryEventStore
from events.store import Recorded
from events.vocabulary import CARDS, Bid, BotLevel, Cause, GameId, Hand, PlayerId, Seat
from service.operations.legality import first_flaw
from service.rules.house_rules import OptionValue
from service.table import Table
from tests.operations.tables import all_kinds, found, late, play_out
from tests.options import games

Log = list[Recorded]
STRANGER = PlayerId("p_stranger")
TABLE = Table(MemoryEventStore())


def of_two_rounds() -> GameId:
    """A game that was neither over at once nor long."""
    for _attempt in range(100):
        played = play_out(TABLE, found(TABLE, "me", "bot", rules={"target_score": 8}))
        if 40 < played.version < 150:
            return played.id
    raise AssertionError("100 games, and none of two rounds")


GAME = of_two_rounds()
LOG: Log = [*TABLE.log(GAME)]


def place_of(kind: type[Event], log: Log = LOG, which: int = 0) -> int:
    """Where the log has its first event of a kind, or a later one."""
    return [at for at, entry in enumerate(log) if isinstance(entry.event, kind)][which]


def renumbered(log: Log) -> Log:
    return [entry._replace(version=version) for version, entry in enumerate(log, 1)]


def with_event(at: int, event: Any, cause: Cause | None = None) -> Log:
    changed = LOG[at]._replace(event=event, cause=cause or LOG[at].cause)
    return [*LOG[:at], changed, *LOG[at + 1 :]]


def changed(kind: type[Event], which: int = 0, **fields: Any) -> tuple[Log, int]:
    """The log with fields of one event changed, and where."""
    at = place_of(kind, which=which)
    return with_event(at, replace(LOG[at].event, **fields)), at


def followed_by(at: int, event: Event, cause: Cause = Cause.PLAYER) -> tuple[Log, int]:
    """The log up to an entry, and then an append that never was."""
    extra = Recorded(at + 1, LOG[at - 1].at, b"intruder", cause, event)
    return [*LOG[:at], extra], at


def hands_exchanged() -> tuple[Log, int]:
    at = place_of(RoundDealt)
    deal = LOG[at].event
    assert isinstance(deal, RoundDealt)
    return with_event(at, replace(deal, hands=deal.hands[::-1])), at


def card_not_held() -> tuple[Log, int]:
    deal, at = LOG[place_of(RoundDealt)].event, place_of(CardPlayed)
    play = LOG[at].event
    assert isinstance(deal, RoundDealt)
    assert isinstance(play, CardPlayed)
    held = deal.hands[play.seat]
    missing = next(card for card in CARDS if not held >> card.number & 1)
    return with_event(at, replace(play, card=missing)), at


def by(kind: type[Event], cause: Cause) -> tuple[Log, int]:
    at = place_of(kind)
    return with_event(at, LOG[at].event, cause), at


def earlier(by_milliseconds: int) -> tuple[Log, int]:
    at = place_of(CardPlayed, which=4)
    command = LOG[at].command_id
    moved = [
        entry._replace(at=LOG[at - 1].at - by_milliseconds)
        if entry.command_id == command
        else entry
        for entry in LOG
    ]
    return moved, at


def torn_in_time() -> tuple[Log, int]:
    at = place_of(GameStarted)
    return [*LOG[:at], LOG[at]._replace(at=LOG[at].at + 1), *LOG[at + 1 :]], at


def without_deal(which: int) -> tuple[Log, int]:
    """The log up to a deal that its append has lost."""
    at = place_of(RoundDealt, which=which)
    return LOG[:at], at - 1


PLAYING = place_of(CardPlayed) + 1
BIDDING = place_of(RoundDealt) + 1
CORRUPTIONS: dict[str, Callable[[], tuple[Log, int]]] = {
    "no creation": lambda: (renumbered(LOG[1:]), 0),
    "created twice": lambda: followed_by(BIDDING, LOG[0].event),
    "another seed": lambda: (changed(GameCreated, seed=bytes(32))[0], place_of(RoundDealt)),
    "a short seed": lambda: changed(GameCreated, seed=b""),
    "rules that are none": lambda: changed(GameCreated, rules={"target_score": 0}),
    "rules of the future": lambda: changed(GameCreated, rules_version=99),
    "a seat for a stranger": lambda: changed(SeatTaken, player=STRANGER),
    "a seat that is not there": lambda: changed(BotSeated, seat=Seat(3)),
    "a seat given to two": lambda: changed(BotSeated, seat=Seat(0)),
    "started twice": lambda: followed_by(BIDDING, GameStarted()),
    "hands exchanged": hands_exchanged,
    "another dealer": lambda: changed(RoundDealt, dealer=Seat(3)),
    "cards in the dead hand": lambda: changed(RoundDealt, which=1, dead_hand=Hand(0)),
    "dealt in a round": lambda: followed_by(PLAYING, LOG[BIDDING - 1].event, Cause.SYSTEM),
    "a bid too low": lambda: followed_by(PLAYING, BidMade(Seat(0), Bid.ONE)),
    "a card not held": card_not_held,
    "a card played twice": lambda: followed_by(PLAYING, LOG[PLAYING - 1].event, Cause.BOT),
    "a bot for a person": lambda: by(BidMade, Cause.TIMEOUT),
    "played by the service": lambda: by(CardPlayed, Cause.SYSTEM),
    "dealt by a player": lambda: by(RoundDealt, Cause.PLAYER),
    "time goes back": lambda: earlier(1),
    "an append at two times": torn_in_time,
    "sat down at a taken seat": lambda: followed_by(BIDDING, SeatTaken(Seat(0), STRANGER)),
    "sat down at a bot's seat": lambda: followed_by(BIDDING, SeatTaken(Seat(1), STRANGER)),
    "a seat left by a bot": lambda: followed_by(BIDDING, SeatLeft(Seat(1))),
    "an invitation too late": lambda: followed_by(BIDDING, SeatInvited(Seat(1), STRANGER, 1)),
    "a bot seated too late": lambda: followed_by(BIDDING, BotSeated(Seat(1), BotLevel.NOVICE, "1")),
    "taken back from nobody": lambda: followed_by(BIDDING, SeatTakenBack(Seat(0))),
    "a bot's seat handed over": lambda: followed_by(
        BIDDING, SeatHandedOver(Seat(1), BotLevel.CLUB, "1", left=True)
    ),
    "expired before its time": lambda: followed_by(
        BIDDING, SeatHandedOver(Seat(0), BotLevel.CLUB, "1", left=False), Cause.TIMEOUT
    ),
    "time given where no clock runs": lambda: followed_by(
        BIDDING, ClockExtended(Seat(0), 1), Cause.SYSTEM
    ),
    "aborted in play": lambda: followed_by(PLAYING, GameAborted()),
    "something after the end": lambda: followed_by(len(LOG), GameAborted()),
    "a lost deal": lambda: (
        LOG[: place_of(RoundDealt, which=1)],
        place_of(RoundDealt, which=1) - 1,
    ),
    "a lost first deal": lambda: (LOG[: place_of(RoundDealt)], place_of(RoundDealt) - 1),
}


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_a_corrupted_log_is_flawed_where_it_was_corrupted(name: str) -> None:
    log, at = CORRUPTIONS[name]()
    assert log != LOG
    flaw = first_flaw(GAME, log)
    assert flaw is not None
    assert flaw.version == at + 1, flaw


def test_no_entry_can_be_lost() -> None:
    for at in range(len(LOG) - 1):
        flaw = first_flaw(GAME, renumbered([*LOG[:at], *LOG[at + 1 :]]))
        assert flaw is not None, at
        assert flaw.version >= at


def test_no_card_can_be_another() -> None:
    for at in [at for at, entry in enumerate(LOG) if isinstance(entry.event, CardPlayed)][::6]:
        play = LOG[at].event
        assert isinstance(play, CardPlayed)
        for card in CARDS:
            flaw = first_flaw(GAME, with_event(at, CardPlayed(play.seat, card)))
            assert (flaw is None) == (card is play.card)
            assert flaw is None or flaw.version > at


def test_a_log_under_another_games_id_is_flawed() -> None:
    assert first_flaw(GameId("g_0another"), LOG) is not None


def test_no_flaw_names_a_card() -> None:
    for make in CORRUPTIONS.values():
        flaw = first_flaw(GAME, make()[0])
        assert flaw is not None
        assert not any(card in flaw.why for card in CARDS), flaw


def test_a_turn_cannot_end_before_its_time() -> None:
    game = late(TABLE).id
    created, *others = TABLE.log(game)
    assert isinstance(created.event, GameCreated)
    assert created.event.clock is not None
    clock = replace(created.event.clock, turn_seconds=60)
    slower = created._replace(event=replace(created.event, clock=clock))
    flaw = first_flaw(game, [slower, *others])
    assert flaw == (len(others) + 1, "SeatHandedOver before its time")


def test_games_in_which_everything_happens_are_legal() -> None:
    for game in all_kinds(TABLE):
        assert first_flaw(game, TABLE.log(game)) is None


@given(games())
@settings(max_examples=20, deadline=None)
def test_games_under_any_rules_are_legal(choice: tuple[int, dict[str, OptionValue], int]) -> None:
    players, rules, seed = choice
    kinds = ["me", *["bot"] * (players - 1)]
    Random(seed).shuffle(kinds)
    table = Table(MemoryEventStore())
    game = play_out(table, found(table, *kinds, rules=rules)).id
    assert first_flaw(game, table.log(game)) is None
