"""A game as a client has it that reads frames and knows the rules, but never asks for a view."""

from collections.abc import Callable
from typing import Any

from events.vocabulary import Bid, Seat
from service.rules import auction
from service.rules.deck import CARDS_EACH, side_of, sides
from service.rules.house_rules import AuctionKind
from service.views.canonical import digest

Json = dict[str, Any]


def without_names(view: Json) -> Json:
    """A view as the fold gives it: names are in no frame."""
    bare = [{**seat, "player": _only_id(seat["player"])} for seat in view["seats"]]
    return {**view, "seats": bare}


def _only_id(player: Json | None) -> Json | None:
    return None if player is None else {"id": player["id"]}


class Folded:
    """One viewer's view, made from that viewer's frames alone."""

    def __init__(self) -> None:
        self.view: Json = {}
        self._standing = auction.opening(Seat(0), 2)

    def take(self, frame: Json) -> Json:
        """The view after the next frame."""
        event, outcome = frame["event"], frame["outcome"]
        if event["type"] == "game_created":
            self.view = _created(frame)
        self.view |= {name: frame[name] for name in ("version", "turn", "expires_at", "you")}
        self.view["updated_at"] = frame["at"]
        followed = getattr(self, f"_{event['type']}", None)
        if followed is not None:
            followed(event)
        if "trick" in outcome:
            self._trick_taken(outcome["trick"])
        if "round" in outcome:
            self._round_over(outcome["round"])
        if "game" in outcome:
            self._game_over(outcome["game"], frame["at"])
        self._sit_out()
        self.view["view_hash"] = _view_hash(self.view)
        return self.view

    def _change(self, seat: int, **changes: Any) -> None:
        self.view["seats"][seat] |= changes

    def _player_seated(self, seat: int) -> str | None:
        player = self.view["seats"][seat]["player"]
        return None if player is None else str(player["id"])

    def _free(self, seat: int) -> None:
        self._change(seat, kind="open", player=None, level=None, reserved_for=None)
        self._change(seat, acting_bot=False, left=False)

    def _seat_taken(self, event: Json) -> None:
        entropy = self.view["fairness"]["entropy"]
        for seat in range(self.view["players"]):
            if self._player_seated(seat) == event["player"]:
                self._free(seat)
                entropy[seat] = None
        self._free(event["seat"])
        self._change(event["seat"], kind="human", player={"id": event["player"]})

    def _seat_left(self, event: Json) -> None:
        player = self._player_seated(event["seat"])
        self._free(event["seat"])
        self.view["fairness"]["entropy"][event["seat"]] = None
        if player == self.view["creator"]:
            seated = [self._player_seated(seat) for seat in range(self.view["players"])]
            self.view["creator"] = next((heir for heir in seated if heir), player)

    def _seat_invited(self, event: Json) -> None:
        self._free(event["seat"])
        self._change(event["seat"], reserved_for=event["player"])

    def _bot_seated(self, event: Json) -> None:
        self._free(event["seat"])
        self._change(event["seat"], kind="bot", level=event["level"])

    def _entropy_given(self, event: Json) -> None:
        self.view["fairness"]["entropy"][event["seat"]] = event["entropy"]

    def _game_started(self, _event: Json) -> None:
        self.view["status"] = "in_progress"

    def _seat_handed_over(self, event: Json) -> None:
        self._change(event["seat"], level=event["level"], acting_bot=True, left=event["left"])

    def _seat_taken_back(self, event: Json) -> None:
        self._change(event["seat"], level=None, acting_bot=False, left=False)

    def _round_dealt(self, event: Json) -> None:
        players, last = self.view["players"], self.view["last_round"]
        self._standing = auction.opening(event["dealer"], players)
        self.view["phase"] = "auction"
        self.view["round"] = {
            "number": last["number"] + 1 if last else 1,
            "dealer": event["dealer"],
            "auction": [],
            "contract": None,
            "trick": None,
            "tricks": [],
            "tricks_won": [0] * sides(players),
        }
        for seat in range(players):
            self._change(seat, cards=CARDS_EACH[players])

    def _bid(self, event: Json) -> None:
        bid = Bid(event["bid"])
        self._called(event["seat"], event["bid"], lambda *rules: auction.after_bid(
            self._standing, bid, *rules))  # fmt: skip

    def _passed(self, event: Json) -> None:
        self._called(event["seat"], "pass", lambda *rules: auction.after_pass(
            self._standing, *rules))  # fmt: skip

    def _called(self, seat: int, call: str, after: Callable[..., auction.Standing]) -> None:
        rules = self.view["players"], AuctionKind(self.view["rules"]["auction"])
        self.view["round"]["auction"].append({"seat": seat, "call": call})
        self._standing = after(*rules)
        highest = self._standing.highest
        if auction.is_over(self._standing, *rules) and highest is not None:
            declarer = self._standing.declarer
            contract = {"declarer": declarer, "bid": highest.value, "trump": None}
            self.view["round"]["contract"] = contract
            self.view["phase"] = "naming_trump"

    def _trump_named(self, event: Json) -> None:
        self.view["round"]["contract"]["trump"] = event["trump"]
        self.view["phase"] = "play"
        self._trick_begins()

    def _trick_begins(self) -> None:
        """By who is on turn; nobody is after the last trick of a round."""
        turn = self.view["turn"]
        trick = {"leader": turn["seats"][0], "plays": []} if turn else None
        self.view["round"]["trick"] = trick

    def _card_played(self, event: Json) -> None:
        play = {"seat": event["seat"], "card": event["card"]}
        self.view["round"]["trick"]["plays"].append(play)
        self.view["seats"][event["seat"]]["cards"] -= 1

    def _trick_taken(self, trick: Json) -> None:
        played = self.view["round"]
        self.view["last_trick"] = trick
        played["tricks"].append({name: trick[name] for name in ("leader", "winner", "plays")})
        played["tricks_won"][side_of(trick["winner"], self.view["players"])] += 1
        self._trick_begins()

    def _round_over(self, last: Json) -> None:
        self.view |= {"phase": None, "last_round": last, "scores": last["scores"]}
        self._no_cards()

    def _game_over(self, over: Json, at: str) -> None:
        self.view |= {"status": over["status"], "phase": None, "finished_at": at}
        self.view["winners"] = over["winners"]
        self.view["fairness"]["seed"] = over["seed"]
        self._no_cards()

    def _no_cards(self) -> None:
        for seat in range(self.view["players"]):
            self._change(seat, cards=0)

    def _sit_out(self) -> None:
        """The declarer's partner while a pepper is played alone."""
        alone = None
        if self.view["phase"] in ("naming_trump", "play") and self.view["rules"]["pepper_alone"]:
            contract = self.view["round"]["contract"]
            if contract["bid"] in ("small_pepper", "big_pepper"):
                alone = (contract["declarer"] + 2) % 4
        for seat in range(self.view["players"]):
            self._change(seat, sits_out=seat == alone)


def _view_hash(view: Json) -> str:
    return digest({name: view[name] for name in view if name not in ("view_hash", "rematch")})


def _created(frame: Json) -> Json:
    event = frame["event"]
    players = event["players"]
    same = (
        "players",
        "creator",
        "visibility",
        "start",
        "hints",
        "allow_bots",
        "rematch_of",
        "clock",
    )
    empty = ("phase", "finished_at", "expires_at", "round", "last_trick", "last_round",
             "winners", "rematch", "forked_from")  # fmt: skip
    return {
        **{name: event[name] for name in same},
        **dict.fromkeys(empty),
        "id": frame["game"],
        "url": f"/g/{frame['game']}",
        "status": "open",
        "rules": {**event["rules"], "version": event["rules_version"]},
        "created_at": frame["at"],
        "seats": [_open_seat(seat, players) for seat in range(players)],
        "scores": [0] * sides(players),
        "fairness": {
            "commitment": event["commitment"],
            "entropy": [None] * players,
            "seed": None,
        },
    }


def _open_seat(seat: int, players: int) -> Json:
    return {
        "seat": seat,
        "side": side_of(seat, players),
        "kind": "open",
        "player": None,
        "level": None,
        "cards": 0,
        "acting_bot": False,
        "left": False,
        "sits_out": False,
        "reserved_for": None,
    }
