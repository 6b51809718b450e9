"""Stored bytes: encode and decode are each other's opposite, and damage is loud."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events import codec
from events.catalogue import (
    EXPIRES_IN,
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
from events.vocabulary import Bid, BotLevel, Card, GameId, Hand, OnTimeout, PlayerId, Seat, Trump

SEATS = st.integers(0, 3).map(Seat)
PLAYERS = st.text("abcXYZ019_-", min_size=1).map(lambda text: PlayerId(f"p_{text}"))
LEVELS = st.sampled_from(BotLevel)


@st.composite
def deals(draw: st.DrawFn) -> RoundDealt:
    deck = draw(st.permutations(range(24)))
    size = draw(st.sampled_from([6, 8]))
    hands = [sum(1 << card for card in deck[at : at + size]) for at in range(0, 24, size)]
    dead = hands.pop() if size == 8 and draw(st.booleans()) else 0
    dealer = Seat(draw(st.integers(0, len(hands) - 1)))
    return RoundDealt(dealer, tuple(Hand(hand) for hand in hands), Hand(dead))


CREATED = st.builds(
    GameCreated,
    players=st.integers(2, 4),
    rules=st.just({"target_score": 30, "tie": "all_win", "pepper_alone": False}),
    rules_version=st.just(1),
    creator=PLAYERS,
    visibility=st.sampled_from(["public", "unlisted"]),
    start=st.sampled_from(["auto", "manual"]),
    hints=st.booleans(),
    allow_bots=st.booleans(),
    seed=st.binary(min_size=32, max_size=32),
    rematch_of=st.none() | st.just(GameId("g_0abc")),
    clock=st.none() | st.builds(Clock, st.integers(5, 604_800), st.sampled_from(OnTimeout)),
    expires_in=st.integers(1, 10**9),
)
EVENTS: st.SearchStrategy[Event] = st.one_of(
    CREATED,
    deals(),
    st.builds(SeatTaken, SEATS, PLAYERS),
    st.builds(SeatLeft, SEATS),
    st.builds(SeatInvited, SEATS, PLAYERS, st.integers(0, 2**42)),
    st.builds(BotSeated, SEATS, LEVELS, st.just("1")),
    st.builds(EntropyGiven, SEATS, st.text(min_size=1, max_size=64)),
    st.just(GameStarted()),
    st.builds(SeatHandedOver, SEATS, LEVELS, st.just("1"), st.booleans()),
    st.builds(SeatTakenBack, SEATS),
    st.just(GameAborted()),
    st.builds(ClockExtended, SEATS, st.integers(1, 2**42)),
    st.builds(BidMade, SEATS, st.sampled_from(Bid)),
    st.builds(Passed, SEATS),
    st.builds(TrumpNamed, SEATS, st.sampled_from(Trump)),
    st.builds(CardPlayed, SEATS, st.sampled_from(Card)),
)


@given(EVENTS)
def test_decoding_an_encoded_event_gives_the_event(event: Event) -> None:
    assert codec.decode(codec.encode(event)) == event


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"z",
        b"C",
        b"C2XX",
        b"C4JS",
        b"B29",
        b"s{",
        b"s[]",
        b's{"seat":1}',
        b's{"seat":1,"player":"p_a","more":1}',
        b's{"seat":"1","player":"p_a"}',
        b's{"seat":4,"player":"p_a"}',
        b'l{"seat":-1}',
        b'l{"seat":true}',
        b'h{"seat":1,"level":"oracle","engine":"1","left":true}',
        b'c{"seed":5}',
        b'n{"seed":"00","clock":{"turn_seconds":"5","on_timeout":"bot_plays"}}',
        b'n{"seed":"00","clock":{"turn_seconds":5,"on_timeout":"bot_sleeps"}}',
        b'x{"seat":1}',
        b"d0abc",
        b"d0" + b"0" * 24,
        b"d0ffffff",
        b"d0000001000001fffffd",
        b"d300003f000fc0fff000",
        b"d0+0003f000fc0fff000",
    ],
)
def test_bytes_that_are_no_event_are_corrupt(body: bytes) -> None:
    with pytest.raises(codec.CorruptEntry):
        codec.decode(body)


def test_an_old_code_is_read_as_todays_event(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(codec.READERS, b"0", lambda body: SeatLeft(Seat(int(body))))
    assert codec.decode(b"03") == SeatLeft(Seat(3))


def test_a_game_created_before_there_were_clocks_has_none() -> None:
    stored = (
        b'c{"players":2,"rules":{},"rules_version":1,"creator":"p_a","visibility":"public",'
        b'"start":"auto","hints":false,"allow_bots":true,"seed":"00","rematch_of":null}'
    )
    created = codec.decode(stored)
    assert isinstance(created, GameCreated)
    assert (created.clock, created.expires_in) == (None, EXPIRES_IN)


def test_a_card_takes_four_bytes() -> None:
    assert codec.encode(CardPlayed(Seat(2), Card.JACK_SPADES)) == b"C2JS"
