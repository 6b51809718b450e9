"""What may be bid, and when an auction is over (R9–R13 and the house rules that change them)."""

from typing import NamedTuple

from events.vocabulary import BIDS, Bid
from service.rules.house_rules import AllPass, AuctionKind, HouseRules

_FOUR_HANDED = tuple(bid for bid in BIDS if bid not in (Bid.SIX, Bid.SEVEN))
THROWN_IN_LIMIT = 3


class Standing(NamedTuple):
    """Where an auction stands; `passed` is a bit mask of seats whose last call was a pass."""

    to_call: int
    calls: int
    highest: Bid | None
    declarer: int
    passed: int
    passes_in_row: int


def bids_for(players: int) -> tuple[Bid, ...]:
    """The bids of the game, low to high (R9)."""
    return _FOUR_HANDED if players == 4 else BIDS


def opening(dealer: int, players: int) -> Standing:
    """An auction before its first call: left of the dealer begins (R11)."""
    return Standing((dealer + 1) % players, 0, None, -1, 0, 0)


def must_bid(
    standing: Standing, dealer: int, players: int, rules: HouseRules, thrown_in_row: int
) -> bool:
    """Whether the seat to call may not pass (R13): the dealer, when nobody has bid."""
    if standing.highest is not None or standing.to_call != dealer:
        return False
    if rules.all_pass is AllPass.REDEAL and thrown_in_row < THROWN_IN_LIMIT:
        return False
    return standing.calls == players - 1


def higher_bids(standing: Standing, players: int) -> tuple[Bid, ...]:
    """The bids that the seat to call may make (R11)."""
    bids = bids_for(players)
    if standing.highest is None:
        return bids
    return bids[bids.index(standing.highest) + 1 :]


def after_bid(standing: Standing, bid: Bid, players: int, kind: AuctionKind) -> Standing:
    """The auction after the seat to call bid."""
    seat = standing.to_call
    passed = standing.passed & ~(1 << seat)
    return Standing(
        _next_to_call(seat, passed, players, kind), standing.calls + 1, bid, seat, passed, 0
    )


def after_pass(standing: Standing, players: int, kind: AuctionKind) -> Standing:
    """The auction after the seat to call passed."""
    seat = standing.to_call
    passed = standing.passed | 1 << seat
    return Standing(
        _next_to_call(seat, passed, players, kind),
        standing.calls + 1,
        standing.highest,
        standing.declarer,
        passed,
        standing.passes_in_row + 1,
    )


def is_over(standing: Standing, players: int, kind: AuctionKind) -> bool:
    """Whether the auction is over (R12, R13, `reopen`, `single_round`)."""
    if standing.highest is Bid.BIG_PEPPER:
        return True
    if kind is AuctionKind.SINGLE_ROUND:
        return standing.calls == players
    if standing.highest is None:
        return standing.passes_in_row == players
    if kind is AuctionKind.REOPEN:
        return standing.passes_in_row == players - 1
    return standing.passed.bit_count() == players - 1


def _next_to_call(seat: int, passed: int, players: int, kind: AuctionKind) -> int:
    following = (seat + 1) % players
    if kind is not AuctionKind.PASS_OUT:
        return following
    while passed >> following & 1 and following != seat:
        following = (following + 1) % players
    return following
