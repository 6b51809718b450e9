"""What rate limits cost an action and a look: CPU of the web process with them on and off."""

import statistics
import tempfile
from pathlib import Path

from bench.actions import DURABLE, Connection, Table4, gunicorn
from tests.servers import running_server, valkey

ROUNDS, REQUESTS, LOOKS = 9, 300, 100
"""Looks are as few as a minute's quota of reads allows the four players."""


def run() -> None:
    """Print CPU per accepted action and per GET with limits on and off, and their ratios."""
    with (
        tempfile.TemporaryDirectory(prefix="pp-") as folder,
        running_server(valkey(), Path(folder) / "v", *DURABLE) as url,
        gunicorn("service.wsgi:app", url, "off") as off,
        gunicorn("service.wsgi:app", url, "on") as on,
    ):
        tables = {"off": Table4(off, 1000), "on": Table4(on, 1000)}
        webs = {"off": off, "on": on}
        acts: dict[str, list[float]] = {"off": [], "on": []}
        looks: dict[str, list[float]] = {"off": [], "on": []}
        for _round in range(ROUNDS):
            for name, table in tables.items():
                acted, looked = _costs(webs[name], table)
                acts[name].append(acted)
                looks[name].append(looked)
        _print("POST …/actions", acts)
        _print("GET a game", looks)


def _costs(web: Connection, table: Table4) -> tuple[float, float]:
    acted = 0.0
    for _request in range(REQUESTS):
        table.act()
        before = web.cpu()
        table.post()
        acted += web.cpu() - before
    before = web.cpu()
    for _request in range(LOOKS):
        table.look()
    return acted / REQUESTS * 1e6, (web.cpu() - before) / LOOKS * 1e6


def _print(what: str, costs: dict[str, list[float]]) -> None:
    off, on = (statistics.median(costs[name]) for name in ("off", "on"))
    ratio = statistics.median(a / b for a, b in zip(costs["on"], costs["off"], strict=True))
    print(f"{what}: {off:.0f} us CPU without limits, {on:.0f} us with them: ratio {ratio:.2f}")
