"""Webhooks from the feed to the receiver: told, queued by ids alone, delivered by a worker."""

from collections.abc import Iterator

import pytest
from redis import Redis
from rq import Queue

from events.redis_store import log_key
from service.game.state import is_over
from service.webhooks.queues import Queues
from service.webhooks.registry import Webhook, Webhooks
from service.webhooks.vocabulary import Topic
from service.wiring import Services
from service.workers.jobs import DELIVER_WEBHOOK
from service.workers.webhook_jobs import enqueue_due, process_deliveries, webhook_queue
from service.workers.webhook_news import tell_webhooks
from service.workers.worker import worker_on
from tests.webhooks.receiver import Receiver, receiver, says
from tests.workers.conftest import Work
from tests.workers.tables import HOST, act_for_host, found, waiting_for_host
from tests.workers.test_follower import news


@pytest.fixture
def own() -> Iterator[Receiver]:
    with receiver(says(204)) as started:
        yield started


@pytest.fixture
def hooks_queue(redis_client: Redis) -> Queue:
    return webhook_queue(redis_client)


@pytest.fixture
def deliver(hooks_queue: Queue, work: Work, monkeypatch: pytest.MonkeyPatch) -> Work:
    """Runs a worker of deliveries in this process until its queue is empty."""
    monkeypatch.setenv("PEPPER_WEBHOOKS_LOOPBACK", "on")
    process_deliveries.cache_clear()
    assert not work()
    return lambda: worker_on(hooks_queue).work(burst=True, logging_level="CRITICAL")


def new_hook(parts: Services, own: Receiver, *topics: Topic) -> Webhook:
    return Webhooks(parts.client).create(HOST, own.url(), topics or list(Topic), parts.store.now())


def test_a_turn_reaches_its_receiver(
    parts: Services, hooks_queue: Queue, own: Receiver, deliver: Work
) -> None:
    hook = new_hook(parts, own, Topic.TURN)
    game = waiting_for_host(parts.table)
    tell_webhooks(parts, news(parts))
    enqueue_due(parts, hooks_queue)
    deliver()
    told = [body for body in own.bodies(hook.secret) if body["game"] == game.id]
    assert [(body["type"], body["version"]) for body in told] == [("turn", game.version)]
    assert (told[0]["player"], told[0]["seat"]) == (HOST, 0)
    assert len(hooks_queue) == 0


def test_a_job_holds_ids_only(parts: Services, hooks_queue: Queue, own: Receiver) -> None:
    hook = new_hook(parts, own)
    game = waiting_for_host(parts.table)
    tell_webhooks(parts, news(parts))
    enqueue_due(parts, hooks_queue)
    jobs = [job for job in hooks_queue.get_jobs() if game.id in job.args]
    (job,) = jobs
    assert job.func_name == DELIVER_WEBHOOK
    assert job.args[:3] == [HOST, hook.id, game.id]
    assert hook.secret not in str(job.to_dict())
    assert own.url() not in str(job.to_dict())


def test_what_is_due_is_queued_once_until_its_grace_is_over(
    parts: Services, hooks_queue: Queue, own: Receiver
) -> None:
    new_hook(parts, own)
    found(parts.table, "me", "bot")
    tell_webhooks(parts, news(parts))
    for _again in range(5):
        enqueue_due(parts, hooks_queue)
    assert len(hooks_queue) == 1


def test_a_lost_job_is_queued_again_and_a_late_one_does_nothing(
    parts: Services, hooks_queue: Queue, own: Receiver, deliver: Work
) -> None:
    hook = new_hook(parts, own)
    found(parts.table, "me", "bot")
    tell_webhooks(parts, news(parts))
    enqueue_due(parts, hooks_queue)
    queues = Queues(parts.client)
    ((place, claim),) = queues.due(parts.store.now() + 60_000)
    assert queues.look_again(place, claim, 0)
    enqueue_due(parts, hooks_queue)
    assert len(hooks_queue) == 2
    deliver()
    ids = [came.headers["webhook-id"] for came in own.came]
    assert len(ids) == len(set(ids)) == len(own.bodies(hook.secret)) > 0


def test_only_what_was_asked_for_is_told(
    parts: Services, hooks_queue: Queue, own: Receiver, deliver: Work
) -> None:
    hook = new_hook(parts, own, Topic.GAME_FINISHED)
    position = waiting_for_host(parts.table)
    while not is_over(position.game):
        position = act_for_host(parts.table, position)
    tell_webhooks(parts, news(parts))
    enqueue_due(parts, hooks_queue)
    deliver()
    (told,) = own.bodies(hook.secret)
    assert (told["type"], told["game"], told["version"]) == (
        "game_finished",
        position.id,
        position.version,
    )


def test_entries_told_twice_are_delivered_once(
    parts: Services, hooks_queue: Queue, own: Receiver, deliver: Work
) -> None:
    hook = new_hook(parts, own)
    waiting_for_host(parts.table)
    entries = news(parts)
    for _again in range(3):
        tell_webhooks(parts, entries)
        enqueue_due(parts, hooks_queue)
        deliver()
    ids = [came.headers["webhook-id"] for came in own.came]
    assert len(ids) == len(set(ids)) == len(own.bodies(hook.secret))


def test_nobodys_webhooks_cost_nothing(parts: Services, hooks_queue: Queue) -> None:
    found(parts.table, "me", "bot")
    found(parts.table, "bot", "bot")
    tell_webhooks(parts, news(parts))
    enqueue_due(parts, hooks_queue)
    assert len(hooks_queue) == 0
    assert parts.client.keys("*webhook*") == []


def test_a_game_that_cannot_be_read_holds_nobody_up(
    parts: Services, hooks_queue: Queue, own: Receiver
) -> None:
    new_hook(parts, own)
    games = [found(parts.table, "me", "bot") for _each in range(2)]
    entries = news(parts)
    parts.client.xadd(log_key(games[0].id), {"e": b"no such event"})
    tell_webhooks(parts, entries)
    enqueue_due(parts, hooks_queue)
    assert [job.args[2] for job in hooks_queue.get_jobs()] == [games[1].id]
