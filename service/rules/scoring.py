"""What a round is worth, and when the game is over (R19–R24)."""

from events.vocabulary import Bid
from service.rules.deck import CARDS_EACH, side_of
from service.rules.house_rules import HouseRules, SetPenalty, Tie

LAST_ROUND = 1000
Scores = tuple[int, ...]


def tricks_owed(bid: Bid, players: int) -> int:
    """How many tricks a bid contracts for (R10)."""
    if bid in (Bid.SMALL_PEPPER, Bid.BIG_PEPPER):
        return CARDS_EACH[players]
    return int(bid)


def points(
    bid: Bid, declarer: int, tricks_won: Scores, players: int, rules: HouseRules
) -> tuple[int, ...]:
    """The points of each side for a round that was played (R19–R21)."""
    declaring = side_of(declarer, players)
    earned = list(tricks_won)
    if tricks_won[declaring] < tricks_owed(bid, players):
        earned[declaring] = -_penalty(bid, players, rules)
    elif bid is Bid.BIG_PEPPER:
        earned[declaring] = 2 * CARDS_EACH[players]
    return tuple(earned)


def _penalty(bid: Bid, players: int, rules: HouseRules) -> int:
    if bid is Bid.BIG_PEPPER:
        return 2 * CARDS_EACH[players]
    if rules.set_penalty is SetPenalty.BID and bid is not Bid.SMALL_PEPPER:
        return tricks_owed(bid, players)
    return CARDS_EACH[players]


def winners(scores: Scores, round_number: int, rules: HouseRules) -> tuple[int, ...]:
    """The sides that have won after a scored round, none if the game goes on (R23, R24)."""
    best = max(scores)
    top = tuple(side for side, score in enumerate(scores) if score == best)
    if round_number >= LAST_ROUND:
        return top
    if best < rules.target_score or (len(top) > 1 and rules.tie is Tie.PLAY_ON):
        return ()
    return top
