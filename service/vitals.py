"""How the service is, read from both servers: who answers, who is alive, who is behind."""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from redis import Redis
from redis.exceptions import RedisError
from rq import Queue, SimpleWorker

from events.followers import FollowerState, follower_states, shards_held
from events.vocabulary import SHARDS
from service.wiring import Services

FOLLOWERS, TICKER = ("bots", "inbox", "lobby", "webhooks"), "ticker"
QUEUES = ("bots", "webhooks")
LONGEST_LAG = 10_000
"""Milliseconds that a follower may be behind without anybody being told."""

LONGEST_SILENCE = 30
"""Seconds after which a worker that says nothing counts as dead."""


class Vitals(NamedTuple):
    """The followers by name, the shards that a ticker has, live workers and waiting jobs by queue.

    None where the server that knows them does not answer.
    """

    followers: Mapping[str, FollowerState] | None
    ticked: int | None
    workers: Mapping[str, int] | None
    jobs: Mapping[str, int] | None

    def warnings(self) -> list[str]:
        """What the service goes on without, for a while or in part."""
        return [*self._of_followers(), *self._of_workers()]

    def _of_followers(self) -> list[str]:
        states = self.followers or {}
        held = {name: states[name].shards if name in states else 0 for name in FOLLOWERS}
        told = [
            f"nobody does the work of {len(SHARDS) - shards} of {len(SHARDS)} shards: {name}"
            for name, shards in {**held, TICKER: self.ticked or 0}.items()
            if shards < len(SHARDS)
        ]
        late = {name: state.lag_ms for name, state in states.items()}
        return told + [
            f"{lag // 1000} s behind: {name}" for name, lag in late.items() if lag > LONGEST_LAG
        ]

    def _of_workers(self) -> list[str]:
        if self.workers is None:
            return ["the job server does not answer: bots wait"]
        missing = [queue for queue in QUEUES if not self.workers.get(queue)]
        return [f"nobody works at the queue: {queue}" for queue in missing]


def vitals(parts: Services) -> Vitals:
    """How the service is now."""
    return Vitals(*_followers_and_ticker(parts), *_workers_and_jobs(parts.queue))


def _followers_and_ticker(
    parts: Services,
) -> tuple[Mapping[str, FollowerState], int] | tuple[None, None]:
    try:
        states = follower_states(parts.client, parts.store.now())
        return states, shards_held(parts.client, [TICKER])[TICKER]
    except RedisError:
        return None, None


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
