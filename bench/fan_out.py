"""From an accepted action to the frames of all who listen, over one web process."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from bench.actions import DURABLE, Connection, Table4, is_answering
from bench.listeners import Asked, Heard, Listeners, listeners
from tests.e2e.running import eventually, free_port
from tests.servers import running_server, valkey

ACTIONS, PAUSE = 200, 0.15
"""Actions of a game, and the seconds that people take for each."""

SPECTATORS = 996
IDLE, IDLE_GAMES, HELD_FOR = 5000, 50, 20.0


class Acted(NamedTuple):
    """An action: when it was accepted by the log's clock, when asked and answered by ours."""

    version: int
    accepted: float
    asked: float
    answered: float


def run() -> None:
    """Print the times to a thousand listeners and to four, and the memory of idle streams."""
    with (
        tempfile.TemporaryDirectory(prefix="pp-") as folder,
        running_server(valkey(), Path(folder) / "v", *DURABLE) as url,
        web_process(url) as web,
    ):
        _four(web)
        _thousand(web)
        _idle(web)


@contextmanager
def web_process(url: str, workers: int = 1) -> Iterator[Connection]:
    """`pepper web` over a server, without rate limits."""
    port = free_port()
    environment = {
        **os.environ,
        "REDIS_URL": url,
        "QUEUE_URL": url,
        "PORT": str(port),
        "WEB_CONCURRENCY": str(workers),
        "PEPPER_RATE_LIMITS": "off",
    }
    command = [str(Path(sys.executable).with_name("pepper")), "web"]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    connection = Connection(port, process.pid)
    eventually(lambda: is_answering(port), "the web process listening")
    try:
        yield connection
    finally:
        process.terminate()
        process.wait()


def _four(web: Connection) -> None:
    table = Table4(web, 1000)
    with listeners(web.port) as ears:
        ears.open([Asked(table.path, token) for token in table.tokens])
        acted, heard = _play(table, ears)
    behind = sorted((each.at - acted[each.version].answered) * 1000 for each in heard)
    answers = sorted((each.answered - each.asked) * 1000 for each in acted.values())
    print(f"4 listeners, {len(acted)} actions, {len(heard)} frames")
    print(f"  an action's own answer:  {_shown(answers)}")
    print(f"  a frame after the answer: {_shown(behind)}")


def _thousand(web: Connection) -> None:
    table = Table4(web, 1000)
    streams = [Asked(table.path, token) for token in table.tokens]
    streams += [Asked(table.path)] * SPECTATORS
    with listeners(web.port) as ears:
        ears.open(streams)
        before = web.cpu()
        acted, heard = _play(table, ears)
        spent = web.cpu() - before
    late = sorted((each.at - acted[each.version].accepted) * 1000 for each in heard)
    asked = sorted((each.at - acted[each.version].asked) * 1000 for each in heard)
    seats = sorted(
        (each.at - acted[each.version].accepted) * 1000 for each in heard if each.listener < 4
    )
    print(f"{len(streams)} listeners, {len(acted)} actions, {len(heard)} frames")
    print(f"  accepted to received:     {_shown(late)}")
    print(f"  sent to received:         {_shown(asked)}")
    print(f"  the four seats among them: {_shown(seats)}")
    print(f"  CPU of the web process:   {spent / len(heard) * 1e6:.0f} us a frame")


def _play(table: Table4, ears: Listeners) -> tuple[dict[int, Acted], list[Heard]]:
    """Play at a steady pace; every listener must have heard every version."""
    acted = {}
    first = table.view["version"]
    for _action in range(ACTIONS):
        table.act()
        before, asked = table.view["version"], time.time()
        table.post()
        answered, version = time.time(), table.view["version"]
        accepted = datetime.fromisoformat(table.view["updated_at"]).timestamp()
        for each in range(before + 1, version + 1):
            acted[each] = Acted(each, accepted, asked, answered)
        time.sleep(PAUSE)
    heard = [each for each in ears.heard() if each.version > first]
    listeners = len({each.listener for each in heard})
    assert len(heard) == len(set(heard)) == listeners * len(acted), "a frame lost or twice"
    return acted, heard


def _idle(web: Connection) -> None:
    tables = [Table4(web, 1000) for _game in range(IDLE_GAMES)]
    before = web.resident()
    with listeners(web.port) as ears:
        ears.open([Asked(tables[number % IDLE_GAMES].path) for number in range(IDLE)])
        each = (web.resident() - before) / IDLE / 1024
        spent = web.cpu()
        time.sleep(HELD_FOR)
        spent = web.cpu() - spent
        for table in tables:
            table.look()
            table.act()
            table.post()
        time.sleep(5)
        heard = {one.listener for one in ears.heard()}
    assert len(heard) == IDLE, f"{len(heard)} of {IDLE} have heard"
    print(f"{IDLE} idle streams of {IDLE_GAMES} games")
    print(f"  memory of the web process: {each:.1f} KiB a stream")
    print(f"  CPU for their keep-alives: {spent / HELD_FOR:.1%} of a core")


def _shown(sorted_ms: list[float]) -> str:
    median, late = (sorted_ms[int(len(sorted_ms) * share)] for share in (0.5, 0.99))
    return f"median {median:.1f} ms, p99 {late:.1f} ms"
