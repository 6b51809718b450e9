"""What an `Idempotency-Key` costs an action: CPU and time with a key and without, in turns."""

import statistics
import tempfile
import time
from pathlib import Path
from uuid import uuid4

from bench.actions import DURABLE, Connection, Table4, gunicorn
from tests.servers import running_server, valkey

ROUNDS, REQUESTS = 15, 200


def run() -> None:
    """Print CPU and time of an action, plain and keyed, and their ratios."""
    with (
        tempfile.TemporaryDirectory(prefix="pp-") as folder,
        running_server(valkey(), Path(folder) / "v", *DURABLE) as url,
        gunicorn("service.wsgi:app", url) as web,
    ):
        spent: dict[str, list[float]] = {"plain": [], "keyed": []}
        taken: dict[str, list[float]] = {"plain": [], "keyed": []}
        for _round in range(ROUNDS):
            cpu, waited = _costs(web, Table4(web, 1000))
            for name in spent:
                spent[name].append(cpu[name])
                taken[name].append(waited[name])
        _print("CPU of the web process", spent)
        _print("time to the answer", taken)


def _costs(web: Connection, table: Table4) -> tuple[dict[str, float], dict[str, float]]:
    """The mean CPU and the median time of an action, in microseconds; every other one is keyed."""
    cpu = {"plain": 0.0, "keyed": 0.0}
    waits: dict[str, list[float]] = {"plain": [], "keyed": []}
    for number in range(2 * REQUESTS):
        name = ("plain", "keyed")[number % 2]
        table.act()
        before, began = web.cpu(), time.perf_counter()
        table.post(str(uuid4()) if name == "keyed" else None)
        waits[name].append((time.perf_counter() - began) * 1e6)
        cpu[name] += web.cpu() - before
    means = {name: spent / REQUESTS * 1e6 for name, spent in cpu.items()}
    return means, {name: statistics.median(each) for name, each in waits.items()}


def _print(what: str, costs: dict[str, list[float]]) -> None:
    plain, keyed = (statistics.median(costs[name]) for name in ("plain", "keyed"))
    ratio = statistics.median(
        one / other for one, other in zip(costs["keyed"], costs["plain"], strict=True)
    )
    print(f"{what}: {plain:.0f} us plain, {keyed:.0f} us with a key: ratio {ratio:.3f}")
