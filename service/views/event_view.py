"""A game's versions, one frame each, as one viewer may see them."""

from collections.abc import Sequence, Set

from events.store import Recorded
from events.vocabulary import GameId, PlayerId, Seat
from service.game.position import Position, fold
from service.game.state import Aborted, Finished, Game, is_over
from service.views.canonical import rfc3339
from service.views.public_event import log_hashes, public_event
from service.views.round_shapes import last_round_shape, last_trick_shape
from service.views.seat_view import match_of, public_view, seat_seen_by, seen_from
from service.views.shapes import Frame, GameOverShape, OutcomeShape


def frames(
    game_id: GameId, log: Sequence[Recorded], viewer: PlayerId | None, after: int, limit: int
) -> list[Frame]:
    """The frames of versions after `after`, at most `limit`; None is a spectator."""
    position = fold(game_id, log[:after])
    made = []
    hashes = list(log_hashes(game_id, log[: after + limit]))
    for recorded in log[after : after + limit]:
        before = position
        position = fold(game_id, (recorded,), before)
        if position is not None:
            log_hash = hashes[recorded.version - 1]
            seat = seat_seen_by(position.game, viewer)
            made.append(frame(recorded, before, position, seat, log_hash))
    return made


def frame(
    recorded: Recorded,
    before: Position | None,
    position: Position,
    seat: Seat | None,
    log_hash: str,
) -> Frame:
    """One version as a seat sees it (None: a spectator); it stands alone."""
    return frames_by_seat(recorded, before, position, {seat}, log_hash)[seat]


def frames_by_seat(
    recorded: Recorded,
    before: Position | None,
    position: Position,
    seats: Set[Seat | None],
    log_hash: str,
) -> dict[Seat | None, Frame]:
    """One version as each of these seats sees it; what all may see is made once."""
    public = public_view(position)
    told: Frame = {
        "type": "event",
        "game": position.id,
        "version": position.version,
        "at": rfc3339(recorded.at),
        "event": public_event(recorded, before.game if before else None),
        "outcome": _outcome(before.game if before else None, position),
        "turn": public["turn"],
        "expires_at": public["expires_at"],
        "you": None,
        "view_hash": "",
        "log_hash": log_hash,
    }
    views = {seat: seen_from(seat, position, public) for seat in seats}
    return {
        seat: {**told, "you": view["you"], "view_hash": view["view_hash"]}
        for seat, view in views.items()
    }


def _outcome(before: Game | None, after: Position) -> OutcomeShape:
    followed: OutcomeShape = {}
    match, earlier = match_of(after.game), match_of(before) if before else None
    if match is not None and earlier is not None:
        trick, played = last_trick_shape(match), last_round_shape(match.last_round)
        if trick is not None and match.last_trick is not earlier.last_trick:
            followed["trick"] = trick
        if played is not None and match.last_round is not earlier.last_round:
            followed["round"] = played
    if is_over(after.game):
        followed["game"] = _game_over(after)
    return followed


def _game_over(position: Position) -> GameOverShape:
    game, match = position.game, match_of(position.game)
    return {
        "status": "aborted" if isinstance(game, Aborted) else "finished",
        "scores": list(match.scores) if match else [],
        "winners": list(game.winners) if isinstance(game, Finished) else None,
        "seed": position.seed.hex(),
    }
