"""CPU of the web process per action, durable, beside a bare Flask route in the same run."""

import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from bench.measure import cpu_seconds, resident
from events.redis_store import RedisEventStore
from events.vocabulary import GameId
from service.game.decide import legal_actions
from service.table import Table
from tests.conftest import client_of
from tests.e2e.running import eventually, free_port
from tests.servers import running_server, valkey

ROUNDS, REQUESTS = 9, 300
DURABLE = ("--appendonly", "yes", "--appendfsync", "always")
Json = dict[str, Any]


class Connection:
    """One kept-alive connection to a gunicorn with one worker."""

    def __init__(self, port: int, master: int) -> None:
        self._http = http.client.HTTPConnection("127.0.0.1", port)
        self.port, self._master = port, master

    def ask(
        self, method: str, path: str, body: Any = None, token: str = "", key: str | None = None
    ) -> Json:
        """One request; raises AssertionError unless it succeeds."""
        headers = {"Content-Type": "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = key
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self._http.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = self._http.getresponse()
        shown = answer.read()
        assert answer.status < 300, shown
        return dict(json.loads(shown))

    def cpu(self) -> float:
        """The CPU time of the worker so far."""
        return sum(cpu_seconds(worker) for worker in self._workers())

    def resident(self) -> int:
        """The memory of the worker that is resident, in bytes."""
        return sum(resident(worker) for worker in self._workers())

    def _workers(self) -> list[int]:
        children = Path(f"/proc/{self._master}/task/{self._master}/children").read_text()
        return [int(child) for child in children.split()]


class Table4:
    """A game of four persons who play random legal actions."""

    def __init__(self, web: Connection, target: int) -> None:
        self._web, self._random = web, Random(5)
        self.tokens = [web.ask("POST", "/v1/players", {})["token"] for _seat in range(4)]
        seats = [{"kind": "me"}, *({"kind": "open"} for _seat in range(3))]
        body = {"players": 4, "seats": seats, "rules": {"target_score": target}}
        self.view = web.ask("POST", "/v1/games", body, self.tokens[0])
        self.path = f"/v1/games/{self.view['id']}"
        for token in self.tokens[1:]:
            self.view = web.ask("POST", f"{self.path}/seats", {}, token)
        self._actions: list[Json] = []

    def act(self) -> None:
        """One action of whoever is on turn, chosen from the last answer or a look."""
        seat = self.view["turn"]["seats"][0]
        actions = self.view["you"]["legal_actions"]
        if self.view["you"]["seat"] != seat or not actions:
            self.look()
            actions = self.view["you"]["legal_actions"]
        self._next = (seat, actions[self._random.randrange(len(actions)) // 2])

    def look(self) -> None:
        """The view of whoever is on turn."""
        seat = self.view["turn"]["seats"][0]
        self.view = self._web.ask("GET", self.path, token=self.tokens[seat])

    def post(self, key: str | None = None) -> None:
        """POST what `act` chose, under a key or none."""
        seat, action = self._next
        self.view = self._web.ask("POST", f"{self.path}/actions", action, self.tokens[seat], key)


@contextmanager
def gunicorn(app: str, url: str, limits: str = "off") -> Iterator[Connection]:
    """One gevent worker of an app over a server, with rate limits on or off."""
    port = free_port()
    flags = (
        "--worker-class=gevent --workers=1 --keep-alive=600 --no-control-socket --log-level=error"
    )
    command = [sys.executable, "-m", "gunicorn", *flags.split(), f"--bind=127.0.0.1:{port}", app]
    environment = {**os.environ, "REDIS_URL": url, "QUEUE_URL": url, "PEPPER_RATE_LIMITS": limits}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    connection = Connection(port, process.pid)
    eventually(lambda: is_answering(port), "gunicorn listening")
    try:
        yield connection
    finally:
        process.terminate()
        process.wait()


def is_answering(port: int) -> bool:
    """Whether somebody listens on a port."""
    try:
        http.client.HTTPConnection("127.0.0.1", port, timeout=1).connect()
    except OSError:
        return False
    return True


def run() -> None:
    """Print CPU per request of both, their ratio, and the cost late in a long game."""
    with (
        tempfile.TemporaryDirectory(prefix="pp-") as folder,
        running_server(valkey(), Path(folder) / "v", *DURABLE) as url,
        gunicorn("bench.bare_app:app", url) as bare,
        gunicorn("service.wsgi:app", url) as web,
    ):
        early, late = Table4(web, 1000), Table4(web, 1000)
        _lengthen(url, late, 4000)
        costs: dict[str, list[float]] = {"bare": [], "early": [], "late": []}
        for _round in range(ROUNDS):
            costs["bare"].append(_bare_cost(bare, late))
            early = Table4(web, 1000)
            _action_cost(web, early, 36)
            costs["early"].append(_action_cost(web, early, REQUESTS))
            costs["late"].append(_action_cost(web, late, REQUESTS))
        medians = {name: statistics.median(cost) for name, cost in costs.items()}
        print(f"bare Flask route:        {medians['bare']:.0f} us CPU")
        print(f"POST …/actions:          {medians['early']:.0f} us CPU, versions 40 to 340")
        print(
            f"POST …/actions, late:    {medians['late']:.0f} us CPU, version {late.view['version']}"
        )
        print(f"action / bare:           {_ratio(costs, 'early', 'bare'):.2f}")
        print(f"late / early:            {_ratio(costs, 'late', 'early'):.3f}")


def _ratio(costs: dict[str, list[float]], first: str, second: str) -> float:
    pairs = zip(costs[first], costs[second], strict=True)
    return statistics.median(one / other for one, other in pairs)


def _bare_cost(bare: Connection, table: Table4) -> float:
    """As `_action_cost`, with a look at a game between requests, so that caches are as cold."""
    spent = 0.0
    for _request in range(REQUESTS):
        table.look()
        before = bare.cpu()
        bare.ask("POST", "/bare", {"type": "play_card", "card": "JS"})
        spent += bare.cpu() - before
    return spent / REQUESTS * 1e6


def _action_cost(web: Connection, table: Table4, requests: int) -> float:
    spent = 0.0
    for _request in range(requests):
        table.act()
        before = web.cpu()
        table.post()
        spent += web.cpu() - before
    return spent / requests * 1e6


def _lengthen(url: str, table: Table4, version: int) -> None:
    chance = Random(9)
    with client_of(url) as client:
        games = Table(RedisEventStore(client))
        game = GameId(table.view["id"])
        position = games.look(game)
        while position.version < version:
            action = chance.choice(legal_actions(position.game)[:3])
            outcome = games.act(game, action)
            assert not hasattr(outcome, "reason"), outcome
            position = games.look(game)
    table.view = table._web.ask("GET", table.path, token=table.tokens[0])
