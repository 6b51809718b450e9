"""The public parts of a round as clients see them: calls, contract, tricks, result."""

from collections.abc import Iterable

from events.vocabulary import CARDS
from service.game.state import (
    Aborted,
    Bidding,
    Call,
    Contract,
    Game,
    Match,
    NamingTrump,
    Playing,
    Round,
    Taken,
)
from service.rules.deck import sides
from service.views.shapes import (
    CallShape,
    ContractShape,
    LastRoundShape,
    LastTrickShape,
    PlayShape,
    RoundShape,
    TakenTrickShape,
    TrickShape,
)

SPELLED = tuple(card.value for card in CARDS)


def calls(auction: Iterable[Call]) -> list[CallShape]:
    """The calls of an auction."""
    return [{"seat": call.seat, "call": call.bid.value if call.bid else "pass"} for call in auction]


def contract_shape(contract: Contract | None) -> ContractShape | None:
    """What the declarer owes."""
    if contract is None:
        return None
    trump = contract.trump.value if contract.trump else None
    return {"declarer": contract.declarer, "bid": contract.bid.value, "trump": trump}


def plays_shape(seats: tuple[int, ...], cards: tuple[int, ...]) -> list[PlayShape]:
    """The cards of a trick, from the lead on."""
    return [{"seat": seat, "card": SPELLED[card]} for seat, card in zip(seats, cards, strict=False)]


def taken_shape(trick: Taken) -> TakenTrickShape:
    """A trick that was taken."""
    return {
        "leader": trick.seats[0],
        "winner": trick.winner,
        "plays": plays_shape(trick.seats, trick.cards),
    }


def round_shape(game: Game, match: Match | None) -> RoundShape | None:
    """The round that is being played, or the last one."""
    if isinstance(game, Aborted):
        return round_shape(game.before, match)
    if isinstance(game, Playing):
        return _in_play(game)
    if isinstance(game, Bidding | NamingTrump):
        return {
            "number": game.dealt.number,
            "dealer": game.dealt.dealer,
            "auction": calls(game.auction),
            "contract": contract_shape(game.contract) if isinstance(game, NamingTrump) else None,
            "trick": None,
            "tricks": [],
            "tricks_won": [0] * sides(game.setup.players),
        }
    return _over(match.last_round) if match and match.last_round else None


def _in_play(game: Playing) -> RoundShape:
    trick: TrickShape = {"leader": game.order[0], "plays": plays_shape(game.order, game.plays)}
    return {
        "number": game.dealt.number,
        "dealer": game.dealt.dealer,
        "auction": calls(game.auction),
        "contract": contract_shape(game.contract),
        "trick": trick,
        "tricks": [taken_shape(taken) for taken in game.tricks],
        "tricks_won": list(game.tricks_won),
    }


def _over(last: Round) -> RoundShape:
    return {
        "number": last.number,
        "dealer": last.dealer,
        "auction": calls(last.auction),
        "contract": contract_shape(last.contract),
        "trick": None,
        "tricks": [taken_shape(taken) for taken in last.tricks],
        "tricks_won": list(last.tricks_won),
    }


def last_round_shape(last: Round | None) -> LastRoundShape | None:
    """How the last complete round came out."""
    if last is None:
        return None
    return {
        "number": last.number,
        "dealer": last.dealer,
        "auction": calls(last.auction),
        "contract": contract_shape(last.contract),
        "tricks_won": list(last.tricks_won),
        "points": list(last.points),
        "scores": list(last.scores),
    }


def last_trick_shape(match: Match | None) -> LastTrickShape | None:
    """The trick taken last in the game."""
    if match is None or match.last_trick is None:
        return None
    return {
        "round": match.last_trick_round,
        "leader": match.last_trick.seats[0],
        "winner": match.last_trick.winner,
        "plays": plays_shape(match.last_trick.seats, match.last_trick.cards),
    }
