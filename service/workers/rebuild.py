"""Makes the read models anew from the logs, when their shape has changed or one was lost."""

from redis import Redis

from service.wiring import Services
from service.workers.erasing import keep_out
from service.workers.reading import readable

PATTERNS = (
    "pepper:{lobby}:*",
    "pepper:{?}:summary:*",
    "pepper:{p:*}:games*",
    "pepper:{p:*}:finished",
    "pepper:{p:*}:won",
    "pepper:{p:*}:aborted",
)
AT_ONCE = 500


def rebuild(parts: Services) -> int:
    """Drop what the projections keep and record every game; how many that were.

    The follower may go on meanwhile: after the drop it records a game, or this does, or both.
    """
    _drop(parts.client)
    recorded = 0
    for position in readable(parts.table, parts.store.games()):
        parts.lobby.record(position)
        keep_out(parts, [position])
        recorded += 1
    return recorded


def _drop(client: Redis) -> None:
    for pattern in PATTERNS:
        for key in client.scan_iter(pattern, count=AT_ONCE):
            client.unlink(key)
