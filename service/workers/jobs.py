"""Bot turns as RQ jobs: JSON only, allow-listed, named for their turn so that none is doubled."""

from collections.abc import Callable
from typing import Any, cast

from redis import Redis
from rq import Queue, Retry
from rq.exceptions import DuplicateJobError, NoSuchJobError
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer

from events.vocabulary import GameId

QUEUE_NAME = "bots"
PLAY_BOT_TURNS = "service.workers.bot_turn.play_bot_turns"
ALLOWED = frozenset({PLAY_BOT_TURNS})
JOB_TIMEOUT, FAILURE_TTL = 10, 60
"""Seconds that a job may run, and that a failed one is kept for a look."""

MOST_ATTEMPTS = 50


class AllowedJob(Job):
    """A job that runs one of our functions or none, whatever is put into the queue."""

    @property
    def func(self) -> Callable[..., Any] | None:
        """The job's function; raises PermissionError if it is not ours."""
        if self.func_name not in ALLOWED:
            raise PermissionError(f"{self.func_name} is not an allowed job")
        return cast(Callable[..., Any] | None, super().func)


def bot_queue(client: Redis) -> Queue:
    """The one queue of bot turns."""
    return Queue(
        QUEUE_NAME,
        connection=client,
        serializer=JSONSerializer,
        job_class=AllowedJob,
        default_timeout=JOB_TIMEOUT,
    )


def enqueue_bot_turn(queue: Queue, game: GameId, version: int) -> bool:
    """Queue the game's bot turn once; False if it is queued already.

    A job of this turn that neither waits nor failed lately is with a worker, dead or alive: this
    queues the next attempt, which the version makes harmless if the first still lives.
    """
    for attempt in range(MOST_ATTEMPTS):
        job_id = f"bot-turn-{game}-{version}-{attempt}"
        try:
            queue.enqueue_call(
                PLAY_BOT_TURNS,
                args=(game, version),
                job_id=job_id,
                unique=True,
                result_ttl=0,
                failure_ttl=FAILURE_TTL,
                retry=Retry(max=2),
                description=job_id,
            )
        except DuplicateJobError:
            if _is_waiting(queue, job_id):
                return False
        else:
            return True
    return False


def _is_waiting(queue: Queue, job_id: str) -> bool:
    try:
        job = AllowedJob.fetch(job_id, connection=queue.connection, serializer=JSONSerializer)
        return job.get_status(refresh=False) == JobStatus.QUEUED
    except NoSuchJobError:
        return False
