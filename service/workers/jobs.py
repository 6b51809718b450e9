"""Bot turns as RQ jobs: JSON only, allow-listed, named for their turn so that none is doubled."""

from collections.abc import Callable
from typing import Any, cast

from redis import Redis
from rq import Queue, Retry
from rq.exceptions import DuplicateJobError
from rq.job import Job
from rq.serializers import JSONSerializer

from events.vocabulary import GameId

QUEUE_NAME = "bots"
PLAY_BOT_TURNS = "service.workers.bot_turn.play_bot_turns"
DELIVER_WEBHOOK = "service.workers.webhook_jobs.deliver_webhook"
ALLOWED = frozenset({PLAY_BOT_TURNS, DELIVER_WEBHOOK})
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

    @property
    def success_callback(self) -> None:
        """None: what a job names here is as little to be trusted as its function."""

    @property
    def failure_callback(self) -> None:
        """None."""

    @property
    def stopped_callback(self) -> None:
        """None."""


def bot_queue(client: Redis) -> Queue:
    """The one queue of bot turns; RQ keeps its client for ever, so make one a process or thread."""
    return Queue(
        QUEUE_NAME,
        connection=client,
        serializer=JSONSerializer,
        job_class=AllowedJob,
        default_timeout=JOB_TIMEOUT,
    )


def turn_name(game: GameId, version: int) -> str:
    """What the jobs of one bot turn are called, before the number of the attempt."""
    return f"bot-turn-{game}-{version}"


def enqueue_bot_turn(queue: Queue, game: GameId, version: int, attempt: int = 0) -> bool:
    """Queue an attempt at a game's bot turn; False if that attempt was queued before."""
    job_id = f"{turn_name(game, version)}-{attempt}"
    try:
        queue.enqueue_call(
            PLAY_BOT_TURNS,
            args=(game, version, attempt),
            job_id=job_id,
            unique=True,
            result_ttl=0,
            failure_ttl=FAILURE_TTL,
            retry=Retry(max=2),
            description=job_id,
        )
    except DuplicateJobError:
        return False
    return True


def enqueue_next_attempt(queue: Queue, game: GameId, version: int) -> int:
    """Queue a bot turn again: its earlier jobs failed, or are with a worker that may be dead.

    If one of those still lives, the version makes this one harmless. Returns the attempt's number.
    """
    for attempt in range(MOST_ATTEMPTS):
        if enqueue_bot_turn(queue, game, version, attempt):
            return attempt
    return MOST_ATTEMPTS


def queued_turns(queue: Queue) -> frozenset[str]:
    """The names of all turns that wait for a worker.

    The list itself tells: a job's own status still says "queued" when its worker died right after
    taking it.
    """
    return frozenset(job_id.rpartition("-")[0] for job_id in queue.get_job_ids())
