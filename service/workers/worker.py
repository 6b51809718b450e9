"""A worker process: one RQ SimpleWorker, which does the jobs of one queue one after another."""

import logging
from collections.abc import Callable
from typing import Any

from redis import Redis
from rq import Queue, SimpleWorker
from rq.job import Job
from rq.serializers import JSONSerializer

from service.settings import Settings
from service.vitals import LONGEST_SILENCE
from service.wiring import events_client, queue_client, wait_for_server
from service.workers.bot_turn import process_services
from service.workers.jobs import AllowedJob

WORKER_TTL = LONGEST_SILENCE
log = logging.getLogger(__name__)


class Worker(SimpleWorker):
    """A worker that is soon back when the queue's server is."""

    max_connection_wait_time = 1.0

    def handle_exception(self, job: Job, *exc_info: Any) -> None:
        """Say which job failed, and where: RQ would log its arguments and the fault's message."""
        log.error("job failed: %s", job.id, exc_info=exc_info)


def run_worker(settings: Settings, make_queue: Callable[[Redis], Queue]) -> None:
    """Work at one queue until told to stop; a running job is finished first."""
    queue_server = queue_client(settings)
    wait_for_server(events_client(settings))
    wait_for_server(queue_server)
    process_services()
    logging.getLogger("rq.worker").setLevel(logging.WARNING)
    worker_on(make_queue(queue_server)).work(logging_level="WARNING")


def worker_on(queue: Queue) -> Worker:
    """A worker on one queue; RQ loses jobs of a worker that has two."""
    return Worker(
        [queue],
        connection=queue.connection,
        serializer=JSONSerializer,
        job_class=AllowedJob,
        worker_ttl=WORKER_TTL,
        log_job_description=False,
    )
