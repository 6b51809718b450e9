"""Auctions under every house rule (R9–R13, R24)."""

from collections.abc import Mapping

import pytest

from events.catalogue import BidMade, BotSeated, Event, GameStarted, Passed
from events.vocabulary import Bid, BotLevel, Seat, Trump
from service.game.commands import MakeBid, NameTrump, Pass
from service.game.refusals import Reason
from service.game.state import Bidding, Dealing, NamingTrump
from service.rules.house_rules import OptionValue
from tests.scenario import Given, dealt, founded, given

HANDS = {
    4: ("9C TC JC QC KC AC", "9D TD JD QD KD AD", "9H TH JH QH KH AH", "9S TS JS QS KS AS"),
    3: (
        "9C TC JC QC KC AC 9D TD",
        "JD QD KD AD 9H TH JH QH",
        "KH AH 9S TS JS QS KS AS",
    ),
}


def called(calls: str, players: int = 4, rules: Mapping[str, OptionValue] | None = None) -> Given:
    """An auction dealt by the last seat: `3 - 4` is a bid of 3, a pass, a bid of 4."""
    events: list[Event] = list(founded(players, ("me", *("open",) * (players - 1)), rules=rules))
    events += [BotSeated(Seat(seat), BotLevel.CLUB, "1") for seat in range(1, players)]
    events += [GameStarted(), dealt(*HANDS[players], dealer=players - 1)]
    game = given(*events)
    for call in calls.split():
        assert isinstance(game.game, Bidding), f"over before {call}"
        seat = Seat(game.game.standing.to_call)
        event: Event = Passed(seat) if call == "-" else BidMade(seat, Bid(call))
        events.append(event)
        game = given(*events)
    return game


def outcome(game: Given) -> str:
    state = game.game
    if isinstance(state, NamingTrump):
        return f"{state.contract.declarer}:{state.contract.bid}"
    if isinstance(state, Dealing):
        return "thrown in"
    assert isinstance(state, Bidding)
    return f"seat {state.standing.to_call} to call"


@pytest.mark.parametrize(
    ("rules", "calls", "expected"),
    [
        ({}, "", "seat 0 to call"),
        ({}, "2 - -", "seat 3 to call"),
        ({}, "2 - - -", "0:2"),
        ({}, "- - - 1", "3:1"),
        ({}, "2 - 3 -", "seat 0 to call"),
        ({}, "2 - 3 - -", "2:3"),
        ({}, "2 - 3 - 4 -", "0:4"),
        ({}, "big_pepper", "0:big_pepper"),
        ({}, "small_pepper big_pepper", "1:big_pepper"),
        ({}, "small_pepper - -", "seat 3 to call"),
        ({"all_pass": "redeal"}, "- - - -", "thrown in"),
        ({"all_pass": "redeal"}, "- - - 2", "3:2"),
        ({"auction": "reopen"}, "- - 1 -", "seat 0 to call"),
        ({"auction": "reopen"}, "- - 1 - 2 - -", "seat 3 to call"),
        ({"auction": "reopen"}, "- - 1 - 2 - - -", "0:2"),
        ({"auction": "reopen"}, "- - - 1", "seat 0 to call"),
        ({"auction": "reopen"}, "- - - 1 - - -", "3:1"),
        ({"auction": "reopen", "all_pass": "redeal"}, "- - - -", "thrown in"),
        ({"auction": "single_round"}, "1 2 - -", "1:2"),
        ({"auction": "single_round"}, "1 2 3", "seat 3 to call"),
        ({"auction": "single_round"}, "- - - 1", "3:1"),
        ({"auction": "single_round", "all_pass": "redeal"}, "- - - -", "thrown in"),
    ],
)
def test_auctions_of_four(rules: dict[str, OptionValue], calls: str, expected: str) -> None:
    assert outcome(called(calls, rules=rules)) == expected


@pytest.mark.parametrize(
    ("rules", "calls"),
    [
        ({}, "- - -"),
        ({"auction": "reopen"}, "- - -"),
        ({"auction": "single_round"}, "- - -"),
    ],
)
def test_the_dealer_must_bid_when_nobody_has(rules: dict[str, OptionValue], calls: str) -> None:
    called(calls, rules=rules).when(Pass(Seat(3))).then_refused(Reason.MUST_BID)


@pytest.mark.parametrize(
    ("rules", "calls", "seat"),
    [
        ({}, "- -", 2),
        ({"all_pass": "redeal"}, "- - -", 3),
        ({"auction": "reopen"}, "- - - 1", 0),
        ({"auction": "single_round"}, "1 - -", 3),
    ],
)
def test_others_may_pass(rules: dict[str, OptionValue], calls: str, seat: int) -> None:
    decided = called(calls, rules=rules).when(Pass(Seat(seat)))
    assert isinstance(decided.decision, tuple)
    assert decided.decision[0] == Passed(Seat(seat))


def test_a_bid_must_be_higher() -> None:
    called("3").when(MakeBid(Seat(1), Bid.THREE)).then_refused(Reason.BID_TOO_LOW)


def test_four_players_have_no_six() -> None:
    called("").when(MakeBid(Seat(0), Bid.SIX)).then_refused(Reason.BID_NOT_IN_LIST)


def test_three_players_bid_up_to_seven() -> None:
    called("", players=3).when(MakeBid(Seat(0), Bid.SEVEN)).then(BidMade(Seat(0), Bid.SEVEN))


def test_nobody_calls_out_of_turn() -> None:
    called("3").when(Pass(Seat(2))).then_refused(Reason.NOT_YOUR_TURN)


def test_turn_comes_before_content() -> None:
    called("3").when(MakeBid(Seat(2), Bid.SIX)).then_refused(Reason.NOT_YOUR_TURN)


def test_phase_comes_before_turn() -> None:
    called("3").when(NameTrump(Seat(2), Trump.CLUBS)).then_refused(Reason.WRONG_PHASE)


@pytest.mark.parametrize(
    ("rule", "trump", "is_allowed"),
    [
        ("high", Trump.NONE, True),
        ("high", Trump.LOW, False),
        ("high_low", Trump.LOW, True),
        ("off", Trump.NONE, False),
        ("off", Trump.LOW, False),
        ("off", Trump.SPADES, True),
    ],
)
def test_what_may_be_named(rule: str, trump: Trump, is_allowed: bool) -> None:  # noqa: FBT001  (a case)
    decided = called("big_pepper", rules={"no_trump": rule}).when(NameTrump(Seat(0), trump))
    if is_allowed:
        assert isinstance(decided.decision, tuple)
    else:
        decided.then_refused(Reason.TRUMP_NOT_ALLOWED)
