"""Makes the read models anew from the logs, when their shape has changed or one was lost."""

from collections.abc import Iterable

from redis import Redis

from events.packer import Packer
from events.redis_store import RedisEventStore
from events.vocabulary import GameId
from service.game.clocks import due_at
from service.game.position import Position
from service.projections.notices import waited_for
from service.wiring import Services
from service.workers.erasing import forget_erased, keep_out
from service.workers.reading import readable

INBOXES = ("pepper:{p:*}:turns", "pepper:{p:*}:invitations", "pepper:{p:*}:inbox")
PATTERNS = (
    "pepper:{lobby}:*",
    "pepper:{?}:summary:*",
    "pepper:{p:*}:games*",
    "pepper:{p:*}:finished",
    "pepper:{p:*}:won",
    "pepper:{p:*}:aborted",
    *INBOXES,
)
AT_ONCE = 500


def rebuild(parts: Services, games: Iterable[GameId] | None = None) -> int:
    """Drop what the projections keep and record every game; how many that were.

    Games that finished before there was packing are offered to it; one that waits and is not in
    the due set is put there, and a rematch that its predecessor does not know is linked to it.
    The follower may go on meanwhile: after the drop it records a game, or this does, or both.
    """
    _drop(parts.client)
    packer, recorded = Packer(parts.client), 0
    for position in readable(parts.table, parts.store.games() if games is None else games):
        parts.lobby.record(position)
        waiting = waited_for(position)
        for player in waiting:
            parts.inbox.record(player, position)
        keep_out(parts, [position])
        forget_erased(parts, waiting)
        if position.ended_at is not None:
            packer.offer(position.id, position.ended_at)
        _remind(parts.store, position)
        recorded += 1
    return recorded


def _remind(store: RedisEventStore, position: Position) -> None:
    """Make anew what an append leaves beside the log; what is there stays as it is."""
    if (due := due_at(position)) is not None:
        store.schedule(position.id, due)
    if (predecessor := position.game.setup.rematch_of) is not None:
        store.link(predecessor, position.id)


def _drop(client: Redis) -> None:
    for pattern in PATTERNS:
        for key in client.scan_iter(pattern, count=AT_ONCE):
            client.unlink(key)
