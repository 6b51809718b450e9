"""The rules as `GET /v1/rules` tells them: a sheet for programs, a text for people."""

from collections.abc import Callable
from importlib.resources import files
from typing import Any

from events.vocabulary import CARDS, Bid, Trump
from service.rules import VERSION
from service.rules.auction import bids_for
from service.rules.deck import CARDS_EACH, side_of, sides
from service.rules.house_rules import (
    CHOICES,
    HIGHEST_TARGET,
    LOWEST_TARGET,
    HouseRules,
    OptionValue,
    SetPenalty,
    options,
)
from service.rules.scoring import points, tricks_owed

MEANINGS = {
    "target_score": "A side with this many points after a round ends the game (R23).",
    "all_pass": "What happens when every other seat has passed (R13).",
    "auction": "Whether a seat that has passed may call again (R11).",
    "no_trump": "Which contracts without a trump suit the declarer may name (R14).",
    "set_penalty": "What a failed number costs; peppers cost what they always cost (R19).",
    "pepper_alone": "Whether on a pepper the declarer's partner plays no card (R18).",
    "first_lead": "Who leads the first trick (R14).",
    "tie": "What a tie at the top means (R23).",
}
VALUE_MEANINGS = {
    "all_pass": {
        "stick_dealer": "The last seat must bid.",
        "redeal": "The last seat may pass too: nobody scores, the next seat deals.",
    },
    "auction": {
        "pass_out": "A pass is final.",
        "reopen": "A seat that passed may bid again until all the others pass in a row.",
        "single_round": "Each seat calls once.",
    },
    "no_trump": {
        "high": "`none`: no bowers, the ace is high.",
        "high_low": "`none` and `low`: no bowers, the lowest card of the suit led wins.",
        "off": "Neither: a suit must be named.",
    },
    "set_penalty": {
        "flat": "As many points as a hand has cards.",
        "bid": "The number that was bid.",
    },
    "pepper_alone": {
        "false": "The partner plays as always.",
        "true": "The partner sits the round out; tricks have three cards.",
    },
    "first_lead": {
        "declarer": "The declarer.",
        "left_of_dealer": "The seat left of the dealer.",
    },
    "tie": {
        "all_win": "All sides at the top win.",
        "play_on": "Another round is dealt until one side alone is highest.",
    },
}


def rules_text() -> str:
    """The rules for people, in Markdown."""
    return files("service").joinpath("web", "rules.md").read_text(encoding="utf-8")


def rules_sheet() -> dict[str, Any]:
    """The closed sets of the game, what they mean, and what rounds are worth."""
    return {
        "version": VERSION,
        "cards": [card.value for card in CARDS],
        "bids": _by_players(lambda players: [bid.value for bid in bids_for(players)]),
        "trumps": [trump.value for trump in Trump],
        "cards_each": _by_players(CARDS_EACH.__getitem__),
        "sides": _by_players(_sides),
        "scoring": _by_players(_scoring),
        "options": _options(),
    }


def _by_players(fact: Callable[[int], Any]) -> dict[str, Any]:
    return {str(players): fact(players) for players in sorted(CARDS_EACH)}


def _sides(players: int) -> list[list[int]]:
    return [
        [seat for seat in range(players) if side_of(seat, players) == side]
        for side in range(sides(players))
    ]


def _scoring(players: int) -> list[dict[str, Any]]:
    return [_worth(bid, players) for bid in bids_for(players)]


def _worth(bid: Bid, players: int) -> dict[str, Any]:
    every, none = CARDS_EACH[players], (0,) * sides(players)
    made = points(bid, 0, (every, *none[1:]), players, HouseRules())[0]
    return {
        "bid": bid.value,
        "tricks": tricks_owed(bid, players),
        "made": None if made == every else made,
        "failed": {
            kind.value: points(bid, 0, none, players, HouseRules(set_penalty=kind))[0]
            for kind in SetPenalty
        },
    }


def _options() -> dict[str, Any]:
    target = {"minimum": LOWEST_TARGET, "maximum": HIGHEST_TARGET}
    alone = {"values": [False, True], "players": [4]}
    chosen = {name: {"values": [choice.value for choice in kind]} for name, kind in CHOICES.items()}
    limits: dict[str, dict[str, Any]] = {"target_score": target, "pepper_alone": alone, **chosen}
    defaults = options(HouseRules())
    return {name: _option(name, default, limits[name]) for name, default in defaults.items()}


def _option(name: str, default: OptionValue, limits: dict[str, Any]) -> dict[str, Any]:
    told = {"default": default, **limits, "meaning": MEANINGS[name]}
    if name in VALUE_MEANINGS:
        told["meanings"] = VALUE_MEANINGS[name]
    return told
