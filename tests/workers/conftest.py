"""A process's parts over real servers, and games that wait for bots."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from redis import Redis
from rq import Queue

from events.vocabulary import BotLevel, PlayerId
from service.game.commands import CreateGame, SeatWish
from service.game.position import Position
from service.game.refusals import Refusal
from service.settings import Settings
from service.wiring import Services, services
from service.workers.bot_turn import process_queue, process_services
from service.workers.jobs import bot_queue
from service.workers.worker import bot_worker

ANA, BEN = PlayerId("p_ana0000000000"), PlayerId("p_ben0000000000")
Found = Callable[..., Position]
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
    yield lambda: bot_worker(queue).work(burst=True, logging_level="CRITICAL")
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.fixture
def found(parts: Services) -> Found:
    """Founds games: `found(players, "me", "bot", …)`, all bots unless seats are named."""

    def make(players: int = 4, *seats: str, **options: object) -> Position:
        kinds = seats or ("bot",) * players
        wishes = tuple(SeatWish(kind, BotLevel.NOVICE if kind == "bot" else None) for kind in kinds)
        command = CreateGame(ANA, players, wishes, {"target_score": 8}, **options)  # type: ignore[arg-type]  # a test's options
        made = parts.table.create(command)
        assert not isinstance(made, Refusal), made
        return made

    return make
