"""A process's parts and a worker over a real server."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from redis import Redis
from rq import Queue

from service.settings import Settings
from service.wiring import Services, services
from service.workers.bot_turn import process_queue, process_services
from service.workers.jobs import bot_queue
from service.workers.worker import worker_on

Work = Callable[[], bool]


@pytest.fixture
def settings(redis_url: str) -> Settings:
    """One empty server for both the logs and the queue."""
    return Settings(
        Path("/nowhere"),
        "127.0.0.1",
        1,
        redis_url,
        redis_url,
        embeds_events=False,
        embeds_queue=False,
        web_processes=1,
    )


@pytest.fixture
def parts(settings: Settings) -> Services:
    """The parts of a process."""
    return services(settings)


@pytest.fixture
def queue(redis_client: Redis) -> Queue:
    """The queue of bot turns."""
    return bot_queue(redis_client)


@pytest.fixture
def _worker_of_this_process(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs that run in this process find the test's servers."""
    monkeypatch.setenv("REDIS_URL", redis_url)
    monkeypatch.setenv("QUEUE_URL", redis_url)
    process_services.cache_clear()
    process_queue.cache_clear()


@pytest.fixture
def work(queue: Queue, _worker_of_this_process: None) -> Iterator[Work]:
    """Runs a worker in this process until the queue is empty."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield lambda: worker_on(queue).work(burst=True, logging_level="CRITICAL")
    for number, handler in handlers.items():
        signal.signal(number, handler)
