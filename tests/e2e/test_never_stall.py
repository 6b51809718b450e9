"""Bots never stall: whatever dies while they play, every game of bots comes to its end."""

import os
import signal
import time
from collections.abc import Iterator

import pytest

from tests.e2e.running import Running, eventually, service
from tests.e2e.test_serve import PROCESSES

GAMES = 30
KILLED = ("worker", "worker", "follower", "worker", "queue", "worker", "worker")
"""What dies, one after another, each once the one before is back and games have moved."""

LONGEST_GAMES = 60.0


@pytest.fixture
def own() -> Iterator[Running]:
    with service() as started:
        yield started


def begin(running: Running, players: int, token: str) -> str:
    """A game of bots; its path."""
    seats = [{"kind": "bot"}] * players
    body = {"players": players, "seats": seats, "rules": {"target_score": 15}}
    status, view = running.ask("POST", "/v1/games", body, token)
    assert status == 201, view
    return f"/v1/games/{view['id']}"


def kill(running: Running, name: str) -> None:
    """SIGKILL a process, and wait for the one that takes its place."""
    victims = running.children(PROCESSES[name])
    assert victims, f"no {name}"
    for victim in victims:
        os.kill(victim, signal.SIGKILL)
    eventually(
        lambda: bool(set(running.children(PROCESSES[name])) - set(victims)), f"another {name}", 15
    )


class Games:
    """All the games, and which of them are not known to be over."""

    def __init__(self, running: Running, paths: list[str]) -> None:
        self._running, self._left, self._over = running, paths, 0

    def played(self) -> int:
        """How far all of them are together."""
        views = {path: self._running.ask("GET", path)[1] for path in self._left}
        going = {path for path, view in views.items() if view["status"] != "finished"}
        self._left = sorted(going)
        self._over += sum(int(views[path]["version"]) for path in views.keys() - going)
        return self._over + sum(int(views[path]["version"]) for path in going)

    def move_on(self, dead: str) -> None:
        """Wait until somebody has played on."""
        before = self.played()
        eventually(lambda: self.played() > before, f"a move after the {dead} died", 20)

    def are_over(self) -> bool:
        """Whether none is left."""
        self.played()
        return not self._left


def test_thirty_games_of_bots_end_though_processes_are_killed(own: Running) -> None:
    token = own.join("Host")
    games = Games(own, [begin(own, 2 + number % 3, token) for number in range(GAMES)])
    deadline = time.monotonic() + LONGEST_GAMES
    for name in KILLED:
        assert not games.are_over(), f"over before the {name} could die: play more games"
        kill(own, name)
        games.move_on(name)
    eventually(games.are_over, "the end of every game", deadline - time.monotonic())
