"""Every process ended and started anew under load, one after another: nobody's turn is lost.

Of each kind two run, as in an installation that is never away: `pepper serve` has one, the other is
started here, as systemd would. Clients do what docs/clients.md says.
"""

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime

from tests.chaos.checker import findings, longest_wait_for_bot
from tests.chaos.client import Book
from tests.chaos.persons import Table
from tests.e2e.listeners import Listener
from tests.e2e.running import PEPPER, Json, Running, eventually, free_port, service
from tests.e2e.tables import check, new_game
from tests.e2e.test_serve import PROCESSES

COMMANDS = {
    "web": "web",
    "follower": "follow",
    "ticker": "tick",
    "worker": "work",
    "webhooks": "deliver",
}
LINES = {**PROCESSES, "ticker": "pepper tick"}
TABLES = 3
LONGEST_WAIT = 6000
"""Milliseconds that a bot's turn may wait."""


class Second:
    """The second process of a kind, ended and started anew by hand."""

    def __init__(self, command: str, environment: Mapping[str, str]) -> None:
        self._command, self._environment = [str(PEPPER), command], environment
        self._start()

    def _start(self) -> None:
        self.process = subprocess.Popen(
            self._command, env=self._environment, start_new_session=True, stderr=subprocess.DEVNULL
        )

    def restart(self) -> None:
        """End it as a deployment does, and start it anew."""
        self.end()
        self._start()

    def end(self) -> None:
        """Ask it to end, and wait until it has."""
        self.process.terminate()
        assert self.process.wait(20) == 0


@contextmanager
def seconds(running: Running, port: int) -> Iterator[dict[str, Second]]:
    """One more process of each kind."""
    environment = {
        **os.environ,
        "PEPPER_DATA": str(running.data),
        "PORT": str(port),
        "PEPPER_RATE_LIMITS": "off",
    }
    made = {name: Second(command, environment) for name, command in COMMANDS.items()}
    try:
        yield made
    finally:
        for each in made.values():
            each.process.terminate()
        for each in made.values():
            each.process.wait(20)


def is_whole(running: Running, url: str) -> bool:
    """Whether the web process at a URL is there and misses nobody."""
    with suppress(OSError):
        status, ready = Running(running.process, url, running.data).ask("GET", "/readyz")
        return (status, ready["warnings"]) == (200, [])
    return False


def first(running: Running, name: str, second: Second) -> int | None:
    """The process of a kind that `pepper serve` runs."""
    leaders = {os.getpgid(pid) for pid in running.children(LINES[name])}
    return next(iter(leaders - {second.process.pid}), None)


def restart_first(running: Running, name: str, second: Second) -> None:
    """End the process that `pepper serve` runs, and wait for its successor."""
    victim = first(running, name, second)
    assert victim is not None
    os.kill(victim, signal.SIGTERM)
    eventually(lambda: first(running, name, second) not in (None, victim), f"another {name}", 20)


def wait_of_bots(replay: Json) -> int:
    events = [
        (int(datetime.fromisoformat(event["at"]).timestamp() * 1000), event["by"]["kind"] == "bot")
        for event in replay["events"]
    ]
    return longest_wait_for_bot(events)


def test_every_process_is_restarted_and_nobody_loses_a_turn() -> None:
    book, port = Book(), free_port()
    with service() as running, seconds(running, port) as others:
        urls = [running.url, f"http://127.0.0.1:{port}"]
        eventually(lambda: all(is_whole(running, url) for url in urls), "two of each kind")
        token = running.join("Host")
        bots = new_game(running, token, "bot", "bot", "bot", "bot", target=40)
        watching = Listener(running, bots)
        tables = [Table(number, urls, book, "rolling") for number in range(TABLES)]
        for name, second in others.items():
            restart_first(running, name, second)
            eventually(lambda: is_whole(running, urls[0]), f"whole after the {name}", 20)
            second.restart()
            eventually(lambda: is_whole(running, urls[1]), f"whole after the other {name}", 20)
        for table in tables:
            table.closing.set()
        for table in tables:
            table.join(60)
        games = [bots, *(game for table in tables for game in table.games)]
        for path in games:
            eventually(lambda: is_over(running, path), "the end of every game")  # noqa: B023
        check(watching, running, bots)
        assert watching.connections > 1
        assert book.failures == []
        assert sum(asked.is_accepted for each in book.asked.values() for asked in each) > 10
        for path in games:
            replay = running.ask("GET", f"{path}/replay")[1]
            assert findings(replay, book.asked.get(path, [])) == []
            assert wait_of_bots(replay) < LONGEST_WAIT


def is_over(running: Running, path: str) -> bool:
    return str(running.ask("GET", path)[1]["status"]) != "in_progress"
