"""What a seat can work out from its view while the auction lasts and when it names trump."""

from collections.abc import Mapping
from typing import NamedTuple

from events.vocabulary import Bid, Trump
from service.bots.reading import NotOnTurn, mask_of
from service.rules.auction import Standing, after_bid, after_pass, opening
from service.rules.house_rules import AuctionKind, FirstLead, HouseRules, NoTrump, house_rules
from service.views.shapes import CallShape, SeatView

_SUITS_ONLY = tuple(Trump)[:4]


class AuctionReading(NamedTuple):
    """An auction as the seat on turn sees it; `bids` are the legal ones, low to high.

    `heard` holds the highest bid of each seat that has called, None if it only passed.
    """

    players: int
    seat: int
    dealer: int
    hand: int
    rules: HouseRules
    standing: Standing
    heard: Mapping[int, Bid | None]
    bids: tuple[Bid, ...]
    may_pass: bool
    is_last_to_call: bool

    @property
    def partner(self) -> int | None:
        """The seat across, with 4 players."""
        return (self.seat + 2) % 4 if self.players == 4 else None

    @property
    def is_partners(self) -> bool:
        """Whether the standing bid is partner's."""
        return self.standing.highest is not None and self.standing.declarer == self.partner

    @property
    def is_leading(self) -> bool:
        """Whether this seat would lead the first trick as declarer."""
        if self.rules.first_lead is FirstLead.DECLARER:
            return True
        return self.seat == (self.dealer + 1) % self.players

    @property
    def trumps(self) -> tuple[Trump, ...]:
        """What a declarer may name in this game."""
        if self.rules.no_trump is NoTrump.HIGH_LOW:
            return tuple(Trump)
        if self.rules.no_trump is NoTrump.HIGH:
            return (*_SUITS_ONLY, Trump.NONE)
        return _SUITS_ONLY


def read_auction(view: SeatView) -> AuctionReading:
    """What the seat on turn to call or to name trump knows; raises NotOnTurn."""
    you, this, players = view["you"], view["round"], view["players"]
    if you is None or this is None or not you["legal_actions"]:
        raise NotOnTurn
    options = {name: value for name, value in view["rules"].items() if name != "version"}
    rules = house_rules(options, players)
    standing = _standing(this["auction"], this["dealer"], players, rules.auction)
    bodies = you["legal_actions"]
    return AuctionReading(
        players=players,
        seat=you["seat"],
        dealer=this["dealer"],
        hand=mask_of(you["hand"]),
        rules=rules,
        standing=standing,
        heard=_heard(this["auction"]),
        bids=tuple(Bid(body["bid"]) for body in bodies if body["type"] == "bid"),
        may_pass=any(body["type"] == "pass" for body in bodies),
        is_last_to_call=_is_last(standing, players, rules.auction),
    )


def _standing(calls: list[CallShape], dealer: int, players: int, kind: AuctionKind) -> Standing:
    standing = opening(dealer, players)
    for call in calls:
        bid = _bid(call)
        if bid is None:
            standing = after_pass(standing, players, kind)
        else:
            standing = after_bid(standing, bid, players, kind)
    return standing


def _heard(calls: list[CallShape]) -> dict[int, Bid | None]:
    heard: dict[int, Bid | None] = {}
    for call in calls:
        heard[call["seat"]] = _bid(call) or heard.get(call["seat"])
    return heard


def _bid(call: CallShape) -> Bid | None:
    return None if call["call"] == "pass" else Bid(call["call"])


def _is_last(standing: Standing, players: int, kind: AuctionKind) -> bool:
    if kind is AuctionKind.SINGLE_ROUND:
        return standing.calls == players - 1
    if kind is AuctionKind.REOPEN:
        return False
    return standing.highest is None and standing.passed.bit_count() == players - 1
