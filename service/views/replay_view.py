"""A whole game as one viewer may know it: everything once it has ended."""

from collections.abc import Callable, Sequence

from events.catalogue import RoundDealt
from events.store import Recorded
from events.vocabulary import Hand, PlayerId, Seat, cards_in
from service.game.evolve import evolve
from service.game.position import Position
from service.game.state import Game, Round, is_over
from service.rules.ranking import sorted_hand
from service.views.canonical import rfc3339
from service.views.public_event import log_hashes, public_event
from service.views.round_shapes import calls, contract_shape, round_shape, taken_shape
from service.views.seat_view import (
    fairness_shape,
    match_of,
    seat_seen_by,
    seat_view,
    seats_shape,
)
from service.views.shapes import PublicEvent, Replay, ReplaySeatShape, RoundRecord

MaySee = Callable[[Game, Seat], bool]
"""Whether a hand may be seen, by the state right after its deal and its seat."""


def replay(
    log: Sequence[Recorded],
    position: Position,
    viewer: PlayerId | None,
    seat: Seat | None = None,
) -> Replay:
    """The game so far: every hand if it has ended (or one seat's), else the viewer's own."""
    view = seat_view(position, None)
    return {
        "id": position.id,
        "status": view["status"],
        "version": position.version,
        "players": view["players"],
        "rules": view["rules"],
        "created_at": view["created_at"],
        "finished_at": view["finished_at"],
        "seats": _seats(position),
        "rounds": rounds(log, position, viewer, seat),
        "scores": view["scores"],
        "winners": view["winners"],
        "fairness": fairness_shape(position),
        "events": _events(log),
        "log_hash": list(log_hashes(position.id, log))[-1],
    }


def rounds(
    log: Sequence[Recorded],
    position: Position,
    viewer: PlayerId | None,
    seat: Seat | None = None,
) -> list[RoundRecord]:
    """Every round of the game so far, with the hands that the viewer may know."""
    may_see, see_dead = _permission(position, viewer, seat)
    made: list[RoundRecord] = []
    game: Game | None = None
    for recorded in log:
        before, game = game, evolve(game, recorded.event)
        if isinstance(recorded.event, RoundDealt):
            made.append(_dealt(recorded.event, game, may_see, see_dead=see_dead))
        finished = _round_finished(before, game)
        if finished is not None:
            made[-1] = _scored(made[-1], finished)
    if made and made[-1]["scores"] is None:
        made[-1] = _so_far(made[-1], position.game)
    return made


def _permission(
    position: Position, viewer: PlayerId | None, seat: Seat | None
) -> tuple[MaySee, bool]:
    if not is_over(position.game):
        return (lambda game, other: seat_seen_by(game, viewer) == other), False
    return (lambda _game, other: seat in (None, other)), seat is None


def _dealt(event: RoundDealt, game: Game, may_see: MaySee, *, see_dead: bool) -> RoundRecord:
    dead_hand = _spelled(event.dead_hand) if see_dead and event.dead_hand else None
    shape = round_shape(game, match_of(game))
    return {
        "number": shape["number"] if shape else 1,
        "dealer": event.dealer,
        "hands": [
            _spelled(hand) if may_see(game, Seat(seat)) else None
            for seat, hand in enumerate(event.hands)
        ],
        "dead_hand": dead_hand,
        "auction": [],
        "contract": None,
        "tricks": [],
        "tricks_won": shape["tricks_won"] if shape else [],
        "points": None,
        "scores": None,
    }


def _spelled(hand: Hand) -> list[str]:
    return [card.value for card in sorted_hand(cards_in(hand), None)]


def _round_finished(before: Game | None, after: Game) -> Round | None:
    earlier, match = match_of(before) if before else None, match_of(after)
    if match is None or match.last_round is (earlier.last_round if earlier else None):
        return None
    return match.last_round


def _scored(record: RoundRecord, finished: Round) -> RoundRecord:
    return {
        **record,
        "auction": calls(finished.auction),
        "contract": contract_shape(finished.contract),
        "tricks": [taken_shape(trick) for trick in finished.tricks],
        "tricks_won": list(finished.tricks_won),
        "points": list(finished.points),
        "scores": list(finished.scores),
    }


def _so_far(record: RoundRecord, game: Game) -> RoundRecord:
    shape = round_shape(game, match_of(game))
    if shape is None or shape["number"] != record["number"]:
        return record
    return {
        **record,
        "auction": shape["auction"],
        "contract": shape["contract"],
        "tricks": shape["tricks"],
        "tricks_won": shape["tricks_won"],
    }


def _seats(position: Position) -> list[ReplaySeatShape]:
    return [
        {
            "seat": place["seat"],
            "side": place["side"],
            "kind": place["kind"],
            "player": place["player"],
            "level": place["level"],
        }
        for place in seats_shape(position.game)
    ]


def _events(log: Sequence[Recorded]) -> list[PublicEvent]:
    made: list[PublicEvent] = []
    game: Game | None = None
    for recorded in log:
        event = public_event(recorded, game)
        made.append({"version": recorded.version, "at": rfc3339(recorded.at), **event})
        game = evolve(game, recorded.event)
    return made
