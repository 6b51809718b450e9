"""The worker process: one RQ SimpleWorker, which plays bots' turns one after another."""

import logging
from typing import Any

from rq import Queue, SimpleWorker
from rq.job import Job
from rq.serializers import JSONSerializer

from service.settings import Settings
from service.wiring import events_client, queue_client, wait_for_server
from service.workers.bot_turn import process_services
from service.workers.jobs import AllowedJob, bot_queue

WORKER_TTL = 30
log = logging.getLogger(__name__)


class Worker(SimpleWorker):
    """A worker that is soon back when the queue's server is."""

    max_connection_wait_time = 1.0

    def handle_exception(self, job: Job, *exc_info: Any) -> None:
        """Say which job failed, and where: RQ would log its arguments and the fault's message."""
        log.error("job failed: %s", job.id, exc_info=exc_info)


def run_worker(settings: Settings) -> None:
    """Work until told to stop; a running job is finished first."""
    queue_server = queue_client(settings)
    wait_for_server(events_client(settings))
    wait_for_server(queue_server)
    process_services()
    logging.getLogger("rq.worker").setLevel(logging.WARNING)
    bot_worker(bot_queue(queue_server)).work(logging_level="WARNING")


def bot_worker(queue: Queue) -> Worker:
    """A worker on the queue of bot turns."""
    return Worker(
        [queue],
        connection=queue.connection,
        serializer=JSONSerializer,
        job_class=AllowedJob,
        worker_ttl=WORKER_TTL,
        log_job_description=False,
    )
