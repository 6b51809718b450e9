"""Followers and workers as processes, while their queue forgets everything or is gone."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from redis import Redis

from service.settings import Settings
from service.wiring import Services, services
from service.workers.jobs import bot_queue
from tests.e2e.running import PEPPER, eventually
from tests.servers import running_server, valkey
from tests.workers.tables import found, is_finished

COMMANDS = ("follow", "work")
TABLES = [("bot",) * 4, ("bot",) * 3, ("bot",) * 2]


@contextmanager
def running(command: str, parts: Services) -> Iterator[subprocess.Popen[bytes]]:
    """A process of the service over these servers; killed at the end."""
    urls = {"REDIS_URL": parts.settings.redis_url, "QUEUE_URL": parts.settings.queue_url}
    with subprocess.Popen(
        [str(PEPPER), command],
        env={**os.environ, **urls},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def queue_server(folder: Path) -> Iterator[str]:
    """A queue server; one that follows it in the folder has the same URL."""
    with running_server(valkey(), folder / "q") as url:
        yield url


def parts_over(events_url: str, queue_url: str) -> Services:
    """The parts of a process whose logs and queue lie on two servers."""
    return services(
        Settings(
            Path("/nowhere"),
            "127.0.0.1",
            1,
            events_url,
            queue_url,
            embeds_events=False,
            embeds_queue=False,
            web_processes=1,
        )
    )


def test_a_queue_that_forgets_everything_is_filled_again(
    redis_url: str, server_folder: Path
) -> None:
    with queue_server(server_folder) as queue_url, Redis.from_url(queue_url) as client:
        parts = parts_over(redis_url, queue_url)
        games = [found(parts.table, *TABLES[number % 3]).id for number in range(6)]
        with running("follow", parts), running("tick", parts):
            eventually(lambda: bot_queue(client).count == len(games), "all games queued")
            client.flushall()
            eventually(lambda: bot_queue(client).count == len(games), "all games queued again")


def test_a_worker_and_a_follower_outlive_their_queue_server(
    redis_url: str, server_folder: Path
) -> None:
    with ExitStack() as processes:
        with queue_server(server_folder) as queue_url:
            parts = parts_over(redis_url, queue_url)
            started = [processes.enter_context(running(each, parts)) for each in COMMANDS]
            first = found(parts.table, "bot", "bot").id
            eventually(lambda: is_finished(parts.table, first), "the first game's end")
        second = found(parts.table, "bot", "bot").id
        with queue_server(server_folder):
            eventually(lambda: is_finished(parts.table, second), "the second game's end")
            assert [each.poll() for each in started] == [None, None]
