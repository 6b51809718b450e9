"""Tricks, rounds and endings at the table (R14–R24, house rules)."""

from collections.abc import Mapping

from events.catalogue import BidMade, CardPlayed, Event, Passed, RoundDealt, TrumpNamed
from events.vocabulary import Bid, Card, Cause, Seat, Trump
from service.game.commands import Pass, PlayCard
from service.game.refusals import Reason
from service.game.state import Bidding, Dealing, Finished, Playing, is_bots, seat_to_act
from service.rules.house_rules import OptionValue
from tests.scenario import Given, dealt, founded, given

HANDS = (
    "JS JC AS KS QS 9C",
    "TS AC KC QC TC 9D",
    "9S AD KD QD JD TD",
    "AH KH QH JH TH 9H",
)

ALONE: Mapping[str, OptionValue] = {"pepper_alone": True}


def playing(
    bid: str = "3",
    trump: Trump = Trump.SPADES,
    rules: Mapping[str, OptionValue] | None = None,
) -> list[Event]:
    """Seat 0 declares; seat 3 deals."""
    events: list[Event] = [*founded(4, rules=rules)[:-1], dealt(*HANDS, dealer=3)]
    events.append(BidMade(Seat(0), Bid(bid)))
    if bid != "big_pepper":
        events += [Passed(Seat(1)), Passed(Seat(2)), Passed(Seat(3))]
    return [*events, TrumpNamed(Seat(0), trump)]


def played(events: list[Event], *cards: str) -> list[Event]:
    """These cards, each by the seat whose turn it is."""
    for card in cards:
        seat = seat_to_act(given(*events).game)
        assert seat is not None
        events = [*events, CardPlayed(seat, Card(card))]
    return events


def play(events: list[Event], card: str) -> Given:
    return given(*played(events, card))


def state(events: list[Event]) -> Playing:
    game = given(*events).game
    assert isinstance(game, Playing)
    return game


def test_the_declarer_leads() -> None:
    assert seat_to_act(given(*playing()).game) == 0


def test_left_of_the_dealer_leads_by_house_rule() -> None:
    events = [
        *founded(4, rules={"first_lead": "left_of_dealer"})[:-1],
        dealt(*HANDS, dealer=3),
        Passed(Seat(0)),
        BidMade(Seat(1), Bid.TWO),
        Passed(Seat(2)),
        Passed(Seat(3)),
        TrumpNamed(Seat(1), Trump.CLUBS),
    ]
    assert seat_to_act(given(*events).game) == 0


def test_the_left_bower_follows_trump() -> None:
    game = given(*played(playing(trump=Trump.CLUBS), "9C"))
    assert seat_to_act(game.game) == 1
    game.when(PlayCard(Seat(1), Card.TEN_SPADES), Cause.BOT).then_refused(Reason.MUST_FOLLOW_SUIT)


def test_a_card_that_is_not_held_is_refused() -> None:
    given(*playing()).when(PlayCard(Seat(0), Card.ACE_HEARTS)).then_refused(Reason.CARD_NOT_IN_HAND)


def test_the_winner_leads_the_next_trick() -> None:
    after = state(played(playing(), "9C", "AC", "TD", "9H"))
    assert (after.tricks[0].winner, after.order[0], after.tricks_won) == (1, 1, (0, 1))


def test_a_pepper_alone_has_tricks_of_three_over_the_partner() -> None:
    events = played(playing("big_pepper", rules=ALONE), "JS", "TS")
    assert seat_to_act(given(*events).game) == 3
    after = state(played(events, "9H"))
    assert (after.tricks[0].seats, after.order) == ((0, 1, 3), (0, 1, 3))
    assert after.hands[2].bit_count() == 6


def test_a_number_is_never_played_alone() -> None:
    events = played(playing("5", rules=ALONE), "JS", "TS")
    assert seat_to_act(given(*events).game) == 2


def test_a_lead_of_the_seat_that_sits_out_passes_clockwise() -> None:
    rules: dict[str, OptionValue] = {"pepper_alone": True, "first_lead": "left_of_dealer"}
    events: list[Event] = [
        *founded(4, rules=rules)[:-1],
        dealt(*HANDS, dealer=1),
        Passed(Seat(2)),
        Passed(Seat(3)),
        BidMade(Seat(0), Bid.BIG_PEPPER),
        TrumpNamed(Seat(0), Trump.SPADES),
    ]
    assert seat_to_act(given(*events).game) == 3


def the_round(bid: str, rules: Mapping[str, OptionValue] | None = None) -> Given:
    """Seat 0 draws every trump and takes five tricks, then loses the last to seat 1."""
    events = playing(bid, rules=rules)
    is_alone = bool(rules) and bid == "big_pepper"
    first = ["JS", "TS", *([] if is_alone else ["9S"]), "9H"]
    events = played(events, *first)
    discards = {1: ["9D", "TC", "QC", "KC", "AC"], 2: ["TD", "JD", "QD", "KD", "AD"]}
    hearts = ["TH", "JH", "QH", "KH", "AH"]
    for number, card in enumerate(("JC", "AS", "KS", "QS", "9C")):
        partner = [] if is_alone else [discards[2][number]]
        events = played(events, card, discards[1][number], *partner, hearts[number])
    return given(*events)


def scores_of(table: Given) -> tuple[int, ...]:
    assert isinstance(table.game, Dealing | Finished)
    return table.game.match.scores


def test_five_of_six_tricks() -> None:
    assert scores_of(the_round("5")) == (5, 1)


def test_a_failed_pepper_costs_six_and_a_big_one_twelve() -> None:
    assert scores_of(the_round("small_pepper")) == (-6, 1)
    assert scores_of(the_round("big_pepper")) == (-12, 1)
    assert scores_of(the_round("big_pepper", ALONE)) == (-12, 1)


def test_the_last_card_brings_the_next_deal_in_the_same_append() -> None:
    events = playing("5")
    events = played(events, "JS", "TS", "9S", "9H", "JC", "9D", "TD", "TH", "AS", "TC", "JD", "JH")
    events = played(events, "KS", "QC", "QD", "QH", "QS", "KC", "KD", "KH", "9C", "AC", "AD")
    last = PlayCard(Seat(3), Card.ACE_HEARTS)
    decision = given(*events).when(last, Cause.BOT).decision
    assert isinstance(decision, tuple)
    card, deal = decision
    assert card == CardPlayed(Seat(3), Card.ACE_HEARTS)
    assert isinstance(deal, RoundDealt)
    assert deal.dealer == 0


def test_the_target_ends_the_game() -> None:
    over = the_round("5", {"target_score": 5})
    assert isinstance(over.game, Finished)
    assert over.game.winners == (0,)
    assert isinstance(the_round("5", {"target_score": 6}).game, Dealing)


def test_three_thrown_in_deals_make_the_fourth_stick_to_the_dealer() -> None:
    events: list[Event] = list(founded(3, rules={"all_pass": "redeal"}))
    for _deal in range(3):
        auction = given(*events).game
        assert isinstance(auction, Bidding)
        dealer = auction.dealt.dealer
        events += [Passed(Seat((dealer + turn) % 3)) for turn in (1, 2, 3)]
        assert isinstance(given(*events).game, Dealing)
        events.append(dealt(*THREE, dealer=(dealer + 1) % 3))
    for _call in range(2):
        seat = seat_to_act(given(*events).game)
        assert seat is not None
        events.append(Passed(seat))
    game = given(*events).game
    dealer_seat = seat_to_act(game)
    assert dealer_seat is not None
    cause = Cause.BOT if is_bots(game.setup.places[dealer_seat]) else Cause.PLAYER
    given(*events).when(Pass(dealer_seat), cause).then_refused(Reason.MUST_BID)


THREE = (
    "9C TC JC QC KC AC 9D TD",
    "JD QD KD AD 9H TH JH QH",
    "KH AH 9S TS JS QS KS AS",
)
