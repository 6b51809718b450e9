"""Actions as they are POSTed, turned into commands of a seat."""

from events.vocabulary import Bid, Card, Seat, Trump
from service.game.commands import Action, MakeBid, NameTrump, Pass, PlayCard


def command_of(body: "dict[str, str]", seat: Seat) -> Action:
    """The command that a body asks for; raises KeyError or ValueError if it is none."""
    match body["type"]:
        case "play_card":
            return PlayCard(seat, Card(body["card"]))
        case "bid":
            return MakeBid(seat, Bid(body["bid"]))
        case "pass":
            return Pass(seat)
        case "name_trump":
            return NameTrump(seat, Trump(body["trump"]))
        case unknown:
            raise ValueError(f"no action {unknown}")
