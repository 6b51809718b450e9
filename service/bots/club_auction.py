"""How a club player calls and names trump: weighs each contract and passing in points, on average.

The numbers were fitted by duplicate matches of club bots against themselves.
"""

from typing import NamedTuple

from events.vocabulary import SUITS, Bid, Trump
from service.bots.auction_reading import AuctionReading
from service.bots.contract_worth import Forecast, chance_made, forecast, worth
from service.bots.hand_value import (
    SUIT_WEIGHTS,
    expected_tricks,
    high_cards,
    sure_tricks,
    weights_for,
)
from service.bots.reading import NotOnTurn
from service.rules.deck import CARDS_EACH
from service.rules.scoring import tricks_owed

PARTNER_BID, PARTNER_PASSED, RIVAL_BID = 0.3, -0.1, -0.15
ALONE_HEARS = 0.3
LEAD_LOST, LEAD_LOST_WITHOUT_TRUMP = 0.1, 0.3
TRICKS_A_HIGH_CARD = 0.25
PEPPERS = (Bid.SMALL_PEPPER, Bid.BIG_PEPPER)


class Outlook(NamedTuple):
    """What to expect of a game: the points after a pass before any bid, how many tricks a declarer
    takes at `least` and what part of those not owed, and how safe a bid made at once must be."""

    nobody_bid: float
    least: float
    spare: float
    safe: float


OUTLOOKS = {
    2: Outlook(nobody_bid=-1.5, least=5.5, spare=0.27, safe=0.88),
    3: Outlook(nobody_bid=-0.5, least=4.9, spare=0.47, safe=0.8),
    4: Outlook(nobody_bid=-0.8, least=3.9, spare=0.25, safe=0.8),
}


class Plan(NamedTuple):
    """A contract that the seat might play: its worth in points, and the chance to make it."""

    worth: float
    chance: float
    bid: Bid
    trump: Trump


def call(reading: AuctionReading) -> Bid | None:
    """The bid to make, None to pass."""
    plans = [plan(reading, bid) for bid in reading.bids]
    if not plans:
        return None
    best = max(plans, key=lambda plan: plan.worth)
    if reading.may_pass and best.worth <= worth_of_passing(reading):
        return None
    if best.bid in PEPPERS or reading.is_last_to_call:
        return best.bid
    safe = OUTLOOKS[reading.players].safe
    at_once = [plan.bid for plan in plans if plan.chance >= safe and plan.bid not in PEPPERS]
    return max(at_once, key=lambda bid: bid.number, default=best.bid)


def name_trump(reading: AuctionReading) -> Trump:
    """The trump under which the contract is worth most; raises NotOnTurn before there is one."""
    if reading.standing.highest is None:
        raise NotOnTurn
    return plan(reading, reading.standing.highest).trump


def plan(reading: AuctionReading, bid: Bid) -> Plan:
    """The best way for the seat to play a contract."""
    return max(
        (_plan(reading, bid, trump) for trump in reading.trumps),
        key=lambda plan: (plan.worth, plan.chance),
    )


def _plan(reading: AuctionReading, bid: Bid, trump: Trump) -> Plan:
    players, rules = reading.players, reading.rules
    expected = _forecast(reading, trump, is_alone=rules.pepper_alone and bid in PEPPERS)
    return Plan(
        worth(bid, expected, players, rules), chance_made(bid, expected, players), bid, trump
    )


def _forecast(reading: AuctionReading, trump: Trump, *, is_alone: bool) -> Forecast:
    players = reading.players
    tricks = expected_tricks(reading.hand, trump, players, is_alone=is_alone)
    tricks += _heard(reading) * (ALONE_HEARS if is_alone else 1.0)
    if not reading.is_leading:
        tricks -= LEAD_LOST if trump.value in SUITS else LEAD_LOST_WITHOUT_TRUMP
    sure = sure_tricks(reading.hand, trump, is_leading=reading.is_leading)
    return forecast(tricks, weights_for(trump, players, is_alone=is_alone).spread, sure)


def _heard(reading: AuctionReading) -> float:
    tricks = 0.0
    for seat, bid in reading.heard.items():
        if seat == reading.partner:
            tricks += PARTNER_PASSED if bid is None else PARTNER_BID
        elif seat != reading.seat and bid is not None:
            tricks += RIVAL_BID
    return tricks


def worth_of_passing(reading: AuctionReading) -> float:
    """The points that the round brings on average if the seat passes now."""
    players, standing = reading.players, reading.standing
    outlook = OUTLOOKS[players]
    if standing.highest is None:
        return 0.0 if reading.is_last_to_call else outlook.nobody_bid
    owed = tricks_owed(standing.highest, players)
    tricks = max(outlook.least, owed + outlook.spare * (CARDS_EACH[players] - owed))
    support = TRICKS_A_HIGH_CARD * high_cards(reading.hand)
    tricks += support if reading.is_partners else -support
    expected = forecast(tricks, SUIT_WEIGHTS[players].spread)
    brought = worth(standing.highest, expected, players, reading.rules)
    if reading.is_partners:
        return brought
    return -brought / 2 if players == 3 else -brought
