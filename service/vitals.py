"""How the service is, read from both servers: who answers, who is alive, who is behind."""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from redis import Redis
from redis.exceptions import RedisError
from rq import Queue, SimpleWorker

from events.followers import FollowerState, follower_states
from service.wiring import Services

LONGEST_SILENCE = 30
"""Seconds after which a worker that says nothing counts as dead."""


class Vitals(NamedTuple):
    """The followers by name, the live workers and the waiting jobs by queue.

    None where the server that knows them does not answer.
    """

    followers: Mapping[str, FollowerState] | None
    workers: Mapping[str, int] | None
    jobs: Mapping[str, int] | None


def vitals(parts: Services) -> Vitals:
    """How the service is now."""
    return Vitals(_followers(parts), *_workers_and_jobs(parts.queue))


def _followers(parts: Services) -> Mapping[str, FollowerState] | None:
    try:
        return follower_states(parts.client, parts.store.now())
    except RedisError:
        return None


def _workers_and_jobs(
    client: Redis,
) -> tuple[Mapping[str, int], Mapping[str, int]] | tuple[None, None]:
    try:
        listening: Counter[str] = Counter()
        for worker in SimpleWorker.all(connection=client):
            if _is_alive(worker.last_heartbeat):
                listening.update(worker.queue_names())
        jobs = {queue.name: queue.count for queue in Queue.all(connection=client)}
    except RedisError:
        return None, None
    return listening, jobs


def _is_alive(last_heartbeat: datetime | None) -> bool:
    if last_heartbeat is None:
        return False
    return (datetime.now(UTC) - last_heartbeat).total_seconds() < LONGEST_SILENCE
