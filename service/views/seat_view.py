"""What one viewer may know of a game, built up from nothing (architecture decision 8)."""

from functools import lru_cache

from events.vocabulary import NO_CARDS, Card, Hand, PlayerId, Seat, Trump
from service.game.clocks import deadline, expires_at
from service.game.commands import Action, MakeBid, NameTrump, Pass, PlayCard
from service.game.decide import legal_actions
from service.game.position import Position
from service.game.state import (
    Aborted,
    Acting,
    Bidding,
    Finished,
    Game,
    Gathering,
    Match,
    NamingTrump,
    Place,
    Playing,
    seat_of,
    seat_to_act,
    sitting_out,
)
from service.rules.deck import side_of, sides
from service.rules.house_rules import options
from service.rules.ranking import sorted_hand
from service.views.canonical import digest, rfc3339
from service.views.public_event import clock_shape
from service.views.round_shapes import last_round_shape, last_trick_shape, round_shape
from service.views.shapes import (
    ActionBody,
    FairnessShape,
    Phase,
    SeatShape,
    SeatView,
    Status,
    TurnShape,
    YouShape,
)

_PHASES: dict[type[Game], Phase] = {
    Bidding: "auction",
    NamingTrump: "naming_trump",
    Playing: "play",
}
_SORTED = {
    trump: tuple((card.number, card.value) for card in sorted_hand(tuple(Card), trump))
    for trump in (None, *Trump)
}


_options = lru_cache(256)(options)


def seat_seen_by(game: Game, player: PlayerId | None) -> Seat | None:
    """The seat that a player may look through: their own until they leave it."""
    if player is None:
        return None
    seat = seat_of(game, player)
    if seat is None or game.setup.places[seat].left:
        return None
    return seat


def seat_view(position: Position, seat: Seat | None) -> SeatView:
    """What a seat may know (None: a spectator); names are no part of it."""
    return seen_from(seat, position, public_view(position))


def seen_from(seat: Seat | None, position: Position, public: SeatView) -> SeatView:
    """The public view of a position, and what the seat alone may know."""
    view: SeatView = {**public, "you": _you(position.game, seat)}
    view["view_hash"] = view_hash(view)
    return view


def public_view(position: Position) -> SeatView:
    """What anybody may know, without the hash that each viewer's view has."""
    game, setup = position.game, position.game.setup
    match = match_of(game)
    ended = position.ended_at
    return {
        "id": position.id,
        "url": f"/g/{position.id}",
        "version": position.version,
        "status": status_of(game),
        "phase": _PHASES.get(type(game)),
        "players": setup.players,
        "rules": {**_options(setup.rules), "version": setup.rules_version},
        "clock": clock_shape(setup.clock),
        "hints": setup.hints,
        "visibility": setup.visibility,
        "start": setup.start,
        "allow_bots": setup.allow_bots,
        "creator": setup.creator,
        "created_at": rfc3339(position.created_at),
        "updated_at": rfc3339(position.updated_at),
        "finished_at": _time(ended),
        "expires_at": _time(expires_at(position)),
        "seats": seats_shape(game),
        "you": None,
        "turn": turn_shape(position),
        "round": round_shape(game, match),
        "last_trick": last_trick_shape(match),
        "last_round": last_round_shape(match.last_round if match else None),
        "scores": list(match.scores) if match else [0] * sides(setup.players),
        "winners": list(game.winners) if isinstance(game, Finished) else None,
        "rematch": None,
        "rematch_of": setup.rematch_of,
        "forked_from": None,
        "fairness": fairness_shape(position),
        "view_hash": "",
    }


def view_hash(view: SeatView) -> str:
    """SHA-256 of a view without itself, names and the link to a rematch."""
    bare = {**view}
    del bare["view_hash"], bare["rematch"]
    return digest(bare)


def status_of(game: Game) -> Status:
    """Where a game stands in its life."""
    if isinstance(game, Gathering):
        return "open"
    if isinstance(game, Finished):
        return "finished"
    return "aborted" if isinstance(game, Aborted) else "in_progress"


def match_of(game: Game) -> Match | None:
    """What the rounds so far have led to, None before the start."""
    if isinstance(game, Aborted):
        return match_of(game.before)
    return None if isinstance(game, Gathering) else game.match


def turn_shape(position: Position) -> TurnShape | None:
    """Who must act, and by when."""
    seat = seat_to_act(position.game)
    return None if seat is None else {"seats": [seat], "deadline": _time(deadline(position))}


def _time(milliseconds: int | None) -> str | None:
    return None if milliseconds is None else rfc3339(milliseconds)


def fairness_shape(position: Position) -> FairnessShape:
    """What proves the shuffle; the seed only once the game has ended."""
    setup = position.game.setup
    return {
        "commitment": setup.commitment,
        "entropy": [place.entropy for place in setup.places],
        "seed": None if position.ended_at is None else position.seed.hex(),
    }


def seats_shape(game: Game) -> list[SeatShape]:
    """The places at the table."""
    out = sitting_out(game)
    hands = game.hands if isinstance(game, Acting) else (NO_CARDS,) * game.setup.players
    return [
        _seat_shape(seat, place, game.setup.players, hands[seat], sits_out=seat == out)
        for seat, place in enumerate(game.setup.places)
    ]


def _seat_shape(seat: int, place: Place, players: int, hand: Hand, *, sits_out: bool) -> SeatShape:
    return {
        "seat": seat,
        "side": side_of(seat, players),
        "kind": place.kind.value,
        "player": {"id": place.player} if place.player else None,
        "level": place.level.value if place.level else None,
        "cards": hand.bit_count(),
        "acting_bot": place.acting_bot,
        "left": place.left,
        "sits_out": sits_out,
        "reserved_for": place.reserved_for,
    }


def hand_shape(game: Game, seat: Seat) -> list[str]:
    """A seat's cards, trumps first, then C D H S, high to low."""
    if not isinstance(game, Acting):
        return []
    hand = game.hands[seat]
    trump = None if isinstance(game, Bidding) else game.contract.trump
    return [spelled for number, spelled in _SORTED[trump] if hand >> number & 1]


def _you(game: Game, seat: Seat | None) -> YouShape | None:
    if seat is None:
        return None
    return {
        "seat": seat,
        "hand": hand_shape(game, seat),
        "legal_actions": legal_bodies(game) if seat_to_act(game) == seat else [],
    }


def legal_bodies(game: Game) -> list[ActionBody]:
    """What the seat on turn may do, ready to POST."""
    return [_body(action) for action in legal_actions(game)]


def _body(action: Action) -> ActionBody:
    match action:
        case PlayCard(_, card):
            return {"type": "play_card", "card": card.value}
        case MakeBid(_, bid):
            return {"type": "bid", "bid": bid.value}
        case NameTrump(_, trump):
            return {"type": "name_trump", "trump": trump.value}
        case Pass():
            return {"type": "pass"}
