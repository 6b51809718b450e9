"""`pepper serve`: ready when it says so, whole again when a process dies, gone when stopped."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.running import (
    PEPPER,
    Running,
    eventually,
    free_port,
    launch,
    processes,
    service,
    start,
)

PROCESSES = {
    "events": "events unixsocket",
    "queue": "queue unixsocket",
    "web": "gunicorn",
    "follower": "pepper follow",
    "worker": "pepper work",
    "webhooks": "pepper deliver",
}


def is_whole(running: Running) -> bool:
    try:
        status, _body = running.ask("GET", "/readyz")
    except OSError:
        return False
    return status == 200 and all(running.children(line) for line in PROCESSES.values())


@pytest.fixture(scope="module")
def own() -> Iterator[Running]:
    with service() as started:
        yield started


@pytest.mark.parametrize("name", PROCESSES)
def test_a_killed_process_comes_back_and_bots_go_on(own: Running, name: str) -> None:
    token = own.join("Host")
    seats = [{"kind": "bot"}] * 4
    _status, view = own.ask("POST", "/v1/games", {"players": 4, "seats": seats}, token)
    victims = own.children(PROCESSES[name])
    assert victims
    for victim in victims:
        os.kill(victim, signal.SIGKILL)
    eventually(lambda: not set(victims) & set(own.children(PROCESSES[name])), f"{name} gone")
    eventually(lambda: is_whole(own), f"whole again after {name} died", 15)
    path = f"/v1/games/{view['id']}"
    eventually(lambda: own.ask("GET", path)[1].get("status") == "finished", "the game's end")


def test_games_are_there_again_after_a_restart_and_go_on() -> None:
    with tempfile.TemporaryDirectory(prefix="pp-") as folder:
        data = Path(folder)
        first = start(data)
        token = first.join("Ana")
        _status, view = first.ask("POST", "/v1/games", {"players": 4}, token)
        bots = {"players": 4, "seats": [{"kind": "bot"}] * 4, "rules": {"target_score": 500}}
        _status, running_game = first.ask("POST", "/v1/games", bots, token)
        assert first.stop() == 0
        assert processes(data) == []
        second = start(data)
        _status, again = second.ask("GET", f"/v1/games/{view['id']}", token=token)
        assert again["you"]["hand"] == view["you"]["hand"]
        path = f"/v1/games/{running_game['id']}"
        before = second.ask("GET", path)[1]["version"]
        eventually(
            lambda: second.ask("GET", path)[1]["version"] > before + 20, "bots that go on", 20
        )
        assert second.stop(signal.SIGINT) == 0
        eventually(lambda: processes(data) == [], "no process left")


def test_a_killed_serve_leaves_no_orphan() -> None:
    with tempfile.TemporaryDirectory(prefix="pp-") as folder:
        running = start(Path(folder))
        running.process.kill()
        running.process.wait()
        eventually(lambda: processes(running.data) == [], "no orphan")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("born", [1, 4])
def test_a_stop_while_it_starts_leaves_nothing(number: signal.Signals, born: int) -> None:
    with tempfile.TemporaryDirectory(prefix="pp-") as folder:
        data = Path(folder)
        process = launch(data, free_port(), data / "output.txt")
        eventually(lambda: len(processes(data)) > born, "the first processes")
        process.send_signal(number)
        process.wait(20)
        eventually(lambda: processes(data) == [], "no process left", 20)


def test_signals_that_come_again_and_again_stop_it_once() -> None:
    with tempfile.TemporaryDirectory(prefix="pp-") as folder:
        running = start(Path(folder))
        group = [running.process.pid, *running.children("pepper follow")]
        for _again in range(20):
            for pid in group:
                os.kill(pid, signal.SIGTERM)
        assert running.process.wait(20) == 0
        eventually(lambda: processes(running.data) == [], "no process left")


def test_every_line_of_a_process_begins_with_its_name() -> None:
    with service() as own:
        lines = (own.data / "output.txt").read_text().splitlines()
    assert any(line.startswith("web      | ") for line in lines)
    named = (
        "events",
        "queue",
        "web",
        "follower",
        "worker",
        "webhooks",
        "pepper",
        "Pepper is ready: ",
    )
    assert all(line.startswith(named) for line in lines)


def refused(data: Path, port: str) -> str:
    environment = {**os.environ, "PORT": port, "PEPPER_DATA": str(data)}
    ended = subprocess.run(
        [str(PEPPER), "serve"], env=environment, capture_output=True, text=True, timeout=30
    )
    assert ended.returncode == 1
    return ended.stderr


def test_a_second_serve_on_the_same_data_is_refused(running: Running) -> None:
    assert "another `pepper serve` uses" in refused(running.data, str(free_port()))


def test_no_header_changes_the_path(running: Running) -> None:
    status, body = running.ask("GET", "/hidden/v1/bots", SCRIPT_NAME="/hidden")
    assert (status, body["code"]) == (404, "route-unknown")


def test_a_taken_port_is_named(running: Running) -> None:
    with tempfile.TemporaryDirectory(prefix="pp-") as folder:
        port = running.url.rpartition(":")[2]
        assert f"port {port}" in refused(Path(folder), port)


@pytest.mark.parametrize("port", ["", "0", "65536", "eighty"])
def test_a_port_that_is_none_is_named(port: str) -> None:
    with tempfile.TemporaryDirectory(prefix="pp-") as folder:
        message = refused(Path(folder), port)
    assert "PORT" in message
    assert "Traceback" not in message


def test_a_data_folder_that_is_none_is_named() -> None:
    assert "PEPPER_DATA /dev/null" in refused(Path("/dev/null"), str(free_port()))


def test_a_second_embedded_server_on_the_same_data_is_refused(running: Running) -> None:
    environment = {**os.environ, "PEPPER_DATA": str(running.data)}
    ended = subprocess.run(
        [str(PEPPER), "embedded", "events"],
        env=environment, capture_output=True, text=True, timeout=30,
    )  # fmt: skip
    assert (ended.returncode, "another server uses" in ended.stderr) == (1, True)
