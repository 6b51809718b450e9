"""A game's state: one frozen type a phase, built by direct construction. Hands are bit masks."""

from enum import StrEnum
from typing import NamedTuple

from events.catalogue import Clock
from events.vocabulary import Bid, BotLevel, GameId, Hand, PlayerId, Seat, Trump
from service.rules.auction import Standing
from service.rules.house_rules import HouseRules


class Kind(StrEnum):
    """Who a seat belongs to."""

    OPEN = "open"
    HUMAN = "human"
    BOT = "bot"


class Place(NamedTuple):
    """One seat and who has it; `left` and `acting_bot` tell who acts for a person."""

    kind: Kind
    player: PlayerId | None = None
    level: BotLevel | None = None
    engine: str | None = None
    acting_bot: bool = False
    left: bool = False
    reserved_for: PlayerId | None = None
    reserved_until: int = 0
    entropy: str | None = None


OPEN_PLACE = Place(Kind.OPEN)


class Setup(NamedTuple):
    """Everything about a game but its play; `held` is every (player, seat) since the start."""

    players: int
    rules: HouseRules
    rules_version: int
    creator: PlayerId
    visibility: str
    start: str
    hints: bool
    allow_bots: bool
    commitment: str
    rematch_of: GameId | None
    clock: Clock | None
    expires_in: int
    places: tuple[Place, ...]
    held: frozenset[tuple[PlayerId, int]]


class Call(NamedTuple):
    """A bid, or a pass (None)."""

    seat: int
    bid: Bid | None


class Taken(NamedTuple):
    """A trick that was taken: the card numbers in the order of `seats`, the first of which led."""

    seats: tuple[int, ...]
    cards: tuple[int, ...]
    winner: int


class Contract(NamedTuple):
    """What the declarer owes; `trump` is None until it is named."""

    declarer: int
    bid: Bid
    trump: Trump | None


class Round(NamedTuple):
    """A round that is over; `points` are the round's own, a thrown-in one has no contract."""

    number: int
    dealer: int
    auction: tuple[Call, ...]
    contract: Contract | None
    tricks: tuple[Taken, ...]
    tricks_won: tuple[int, ...]
    points: tuple[int, ...]
    scores: tuple[int, ...]


class Match(NamedTuple):
    """What carries over from round to round."""

    scores: tuple[int, ...]
    last_round: Round | None
    last_trick: Taken | None
    last_trick_round: int
    thrown_in_row: int


class Dealt(NamedTuple):
    """What a deal fixes for its round."""

    number: int
    dealer: int
    dead_hand: Hand


class Gathering(NamedTuple):
    """Before the start: people and bots take seats."""

    setup: Setup


class Dealing(NamedTuple):
    """Between rounds: the next cards are about to be dealt."""

    setup: Setup
    match: Match


class Bidding(NamedTuple):
    """The auction of a round."""

    setup: Setup
    match: Match
    dealt: Dealt
    hands: tuple[Hand, ...]
    auction: tuple[Call, ...]
    standing: Standing


class NamingTrump(NamedTuple):
    """The declarer is to name trump."""

    setup: Setup
    match: Match
    dealt: Dealt
    hands: tuple[Hand, ...]
    auction: tuple[Call, ...]
    contract: Contract


class Playing(NamedTuple):
    """The trick phase: `orders` by leader, `order` the seats of this trick from its leader on."""

    setup: Setup
    match: Match
    dealt: Dealt
    hands: tuple[Hand, ...]
    auction: tuple[Call, ...]
    contract: Contract
    orders: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]
    plays: tuple[int, ...]
    tricks: tuple[Taken, ...]
    tricks_won: tuple[int, ...]


class Finished(NamedTuple):
    """The game is over and sides have won."""

    setup: Setup
    match: Match
    winners: tuple[int, ...]


class Aborted(NamedTuple):
    """The game ended without a result; `before` is the phase in which it did."""

    setup: Setup
    before: "Gathering | Dealing | Bidding"


Game = Gathering | Dealing | Bidding | NamingTrump | Playing | Finished | Aborted
Acting = Bidding | NamingTrump | Playing


def seat_to_act(game: Game) -> Seat | None:
    """The seat whose turn it is, None if it is nobody's."""
    if isinstance(game, Playing):
        return Seat(game.order[len(game.plays)])
    if isinstance(game, Bidding):
        return Seat(game.standing.to_call)
    if isinstance(game, NamingTrump):
        return Seat(game.contract.declarer)
    return None


def is_bots(place: Place) -> bool:
    """Whether a bot acts at a place."""
    return place.kind is Kind.BOT or place.acting_bot


def is_bot_turn(game: Game) -> bool:
    """Whether a bot must act now."""
    seat = seat_to_act(game)
    return seat is not None and is_bots(game.setup.places[seat])


def sitting_out(game: Game) -> Seat | None:
    """The declarer's partner while a pepper is played alone (`pepper_alone`)."""
    if not isinstance(game, NamingTrump | Playing) or not game.setup.rules.pepper_alone:
        return None
    if game.contract.bid not in (Bid.SMALL_PEPPER, Bid.BIG_PEPPER):
        return None
    return Seat((game.contract.declarer + 2) % 4)


def is_over(game: Game) -> bool:
    """Whether nothing can be appended to the game any more."""
    return isinstance(game, Finished | Aborted)


def seat_of(game: Game, player: PlayerId) -> Seat | None:
    """The seat that belongs to a player, left or not."""
    for seat, place in enumerate(game.setup.places):
        if place.player == player:
            return Seat(seat)
    return None
