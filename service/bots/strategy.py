"""Which legal action a bot takes: from a seat's view and a Random, nothing else."""

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from events.vocabulary import CARDS, Bid, BotLevel, Card, Seat, Trump
from service.bots import club, novice
from service.bots.auction_reading import AuctionReading, read_auction
from service.bots.reading import NotOnTurn, Reading, read_trick
from service.game.commands import Action, MakeBid, NameTrump, Pass, PlayCard
from service.views.shapes import ActionBody, SeatView


class Strategy(NamedTuple):
    """How a level of bot calls, names trump and plays a card."""

    call: Callable[[AuctionReading, Random], Bid | None]
    name_trump: Callable[[AuctionReading, Random], Trump]
    play: Callable[[Reading, Random], int]


STRATEGIES = {
    BotLevel.NOVICE: Strategy(novice.call, novice.name_trump, novice.play),
    BotLevel.CLUB: Strategy(club.call, club.name_trump, club.play),
}


def random_of(decision_seed: bytes) -> Random:
    """The chance of one decision: the same seed makes the same choice again."""
    return Random(decision_seed)  # noqa: S311  (the seed is the secret, not the generator)


def choose(view: SeatView, random: Random, level: BotLevel) -> ActionBody:
    """One of the view's legal actions; raises NotOnTurn if it has none."""
    you = view["you"]
    if you is None or not you["legal_actions"]:
        raise NotOnTurn
    if len(you["legal_actions"]) == 1:
        return you["legal_actions"][0]
    strategy = STRATEGIES[level]
    match view["phase"]:
        case "auction":
            bid = strategy.call(read_auction(view), random)
            return {"type": "pass"} if bid is None else {"type": "bid", "bid": bid.value}
        case "naming_trump":
            trump = strategy.name_trump(read_auction(view), random)
            return {"type": "name_trump", "trump": trump.value}
        case _:
            card = strategy.play(read_trick(view), random)
            return {"type": "play_card", "card": CARDS[card].value}


def command_of(body: ActionBody, seat: Seat) -> Action:
    """The command that a bot's choice is; raises KeyError or ValueError if it is none."""
    match body["type"]:
        case "play_card":
            return PlayCard(seat, Card(body["card"]))
        case "bid":
            return MakeBid(seat, Bid(body["bid"]))
        case "name_trump":
            return NameTrump(seat, Trump(body["trump"]))
        case "pass":
            return Pass(seat)
        case unknown:
            raise ValueError(f"no action {unknown}")
