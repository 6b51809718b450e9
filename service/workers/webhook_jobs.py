"""Deliveries as RQ jobs in a queue of their own; a job names what it delivers and holds no more."""

from functools import cache

from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from events.vocabulary import PlayerId
from service.webhooks.deliveries import Deliveries
from service.webhooks.posting import Poster
from service.webhooks.queues import Place, Queues
from service.wiring import Services
from service.workers.bot_turn import process_services
from service.workers.jobs import DELIVER_WEBHOOK, FAILURE_TTL, AllowedJob

QUEUE_NAME = "webhooks"
JOB_TIMEOUT = 60
"""Seconds that a job may run."""

GRACE, GRACE_EACH_QUEUED = 20_000, 1_000
"""Milliseconds after which what a job was to deliver is looked at again: some, more when many wait.

If that job still comes, its claim is void and it does nothing.
"""


def webhook_queue(client: Redis) -> Queue:
    """The one queue of deliveries."""
    return Queue(
        QUEUE_NAME,
        connection=client,
        serializer=JSONSerializer,
        job_class=AllowedJob,
        default_timeout=JOB_TIMEOUT,
    )


def enqueue_due(parts: Services, queue: Queue) -> None:
    """Queue a job for every list of messages that is to be looked at now."""
    queues, now = Queues(parts.client), parts.store.now()
    due = queues.due(now)
    claim = now + GRACE + GRACE_EACH_QUEUED * len(queue) if due else 0
    for place, since in due:
        if queues.look_again(place, since, claim):
            queue.enqueue_call(
                DELIVER_WEBHOOK,
                args=(*place, claim),
                result_ttl=0,
                failure_ttl=FAILURE_TTL,
                description=f"webhook {place.webhook} {place.game}",
            )


@cache
def process_deliveries() -> Deliveries:
    """This worker's deliveries, built once."""
    parts = process_services()
    poster = Poster(loopback=parts.settings.webhooks_loopback)
    return Deliveries(parts.client, poster, parts.store.now)


def deliver_webhook(player: str, webhook: str, game: str, claim: int) -> None:
    """Deliver what waits for a webhook of a game. Run twice, or late, it does nothing."""
    process_deliveries().deliver(Place(PlayerId(player), webhook, game), claim)
