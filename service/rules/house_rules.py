"""The house rules: options of a game, each a closed set, with their defaults first (rules.md)."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum

OptionValue = str | int | bool


class AllPass(StrEnum):
    """What happens when everybody passes (R13)."""

    STICK_DEALER = "stick_dealer"
    REDEAL = "redeal"


class AuctionKind(StrEnum):
    """Whether a pass is final (R11), may be followed by a bid, or each seat calls once."""

    PASS_OUT = "pass_out"  # noqa: S105  (an auction, no password)
    REOPEN = "reopen"
    SINGLE_ROUND = "single_round"


class NoTrump(StrEnum):
    """Which contracts without trump a declarer may name (R14)."""

    HIGH = "high"
    HIGH_LOW = "high_low"
    OFF = "off"


class SetPenalty(StrEnum):
    """What a failed number loses (R19)."""

    FLAT = "flat"
    BID = "bid"


class FirstLead(StrEnum):
    """Who leads the first trick (R14)."""

    DECLARER = "declarer"
    LEFT_OF_DEALER = "left_of_dealer"


class Tie(StrEnum):
    """What a tie at the top means (R23)."""

    ALL_WIN = "all_win"
    PLAY_ON = "play_on"


LOWEST_TARGET, HIGHEST_TARGET = 1, 1000


@dataclass(frozen=True, slots=True)
class HouseRules:
    """One game's options; the defaults are the box's own rules."""

    target_score: int = 30
    all_pass: AllPass = AllPass.STICK_DEALER
    auction: AuctionKind = AuctionKind.PASS_OUT
    no_trump: NoTrump = NoTrump.HIGH
    set_penalty: SetPenalty = SetPenalty.FLAT
    pepper_alone: bool = False
    first_lead: FirstLead = FirstLead.DECLARER
    tie: Tie = Tie.ALL_WIN


CHOICES: Mapping[str, type[StrEnum]] = {
    "all_pass": AllPass,
    "auction": AuctionKind,
    "no_trump": NoTrump,
    "set_penalty": SetPenalty,
    "first_lead": FirstLead,
    "tie": Tie,
}


def options(rules: HouseRules) -> dict[str, OptionValue]:
    """Every option by name, in the stored and public spelling."""
    return {field.name: _spelled(getattr(rules, field.name)) for field in fields(rules)}


def house_rules(chosen: Mapping[str, OptionValue], players: int) -> HouseRules:
    """The rules that these options make; raises ValueError that names the first bad option."""
    named: dict[str, object] = {}
    for name, value in chosen.items():
        named[name] = _option(name, value)
    if named.get("pepper_alone") and players != 4:
        raise ValueError("pepper_alone: only for 4 players")
    return HouseRules(**named)  # type: ignore[arg-type]  # each value was checked by _option


def _spelled(value: OptionValue) -> OptionValue:
    return value.value if isinstance(value, StrEnum) else value


def _option(name: str, value: OptionValue) -> OptionValue:
    if name == "target_score":
        if type(value) is int and LOWEST_TARGET <= value <= HIGHEST_TARGET:
            return value
        raise ValueError(f"target_score: a whole number from {LOWEST_TARGET} to {HIGHEST_TARGET}")
    if name == "pepper_alone":
        if type(value) is bool:
            return value
        raise ValueError("pepper_alone: true or false")
    if name not in CHOICES:
        raise ValueError(f"{name}: no such option")
    try:
        return CHOICES[name](str(value))
    except ValueError:
        raise ValueError(f"{name}: one of {', '.join(CHOICES[name])}") from None
