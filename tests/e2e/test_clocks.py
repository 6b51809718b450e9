"""Clocks over real processes: a turn that nobody takes ends, and an outage takes nobody's time."""

import os
import signal
import time
from collections.abc import Iterator

import pytest

from tests.e2e.running import Json, Running, eventually, service


@pytest.fixture
def own() -> Iterator[Running]:
    """A service whose processes a test may stop."""
    with service() as running:
        yield running


def two(running: Running, on_timeout: str) -> str:
    """The address of a game of two persons with turns of five seconds."""
    ana, ben = running.join("Ana"), running.join("Ben")
    body = {
        "players": 2,
        "seats": [{"kind": "me"}, {"kind": "open"}],
        "clock": {"turn_seconds": 5, "on_timeout": on_timeout},
    }
    path = f"/v1/games/{running.ask('POST', '/v1/games', body, ana)[1]['id']}"
    assert running.ask("POST", f"{path}/seats", token=ben)[1]["status"] == "in_progress"
    return path


def caused_by(running: Running, path: str, kind: str) -> list[Json]:
    """The events of a game that one kind of cause has."""
    items = running.ask("GET", f"{path}/events?limit=100")[1]["items"]
    return [frame for frame in items if frame["event"]["by"]["kind"] == kind]


def test_turns_that_nobody_takes_end_whatever_is_killed(own: Running) -> None:
    plays, takes_over = two(own, "bot_plays"), two(own, "bot_takes_over")
    for pid in own.children("pepper tick") + own.children("pepper work"):
        os.kill(pid, signal.SIGKILL)
    eventually(lambda: len(caused_by(own, plays, "timeout")) > 1, "two turns' ends")
    over = caused_by(own, takes_over, "timeout")[0]["event"]
    assert over["type"] == "seat_handed_over"
    eventually(lambda: bool(caused_by(own, takes_over, "bot")), "the bot that took over")
    assert {frame["event"]["type"] for frame in caused_by(own, plays, "timeout")} <= {
        "bid",
        "passed",
        "trump_named",
        "card_played",
    }


def test_an_outage_of_the_web_process_is_given_back(own: Running) -> None:
    path = two(own, "bot_plays")
    _server, worker = own.web()
    os.kill(worker, signal.SIGSTOP)
    time.sleep(8)
    os.kill(worker, signal.SIGCONT)
    eventually(lambda: bool(caused_by(own, path, "timeout")), "the turn's end")
    (given_back,) = caused_by(own, path, "system")[-1:]
    assert given_back["event"]["type"] == "clock_extended"
    assert given_back["event"]["milliseconds"] > 5000
    assert caused_by(own, path, "timeout")[0]["version"] == given_back["version"] + 1
