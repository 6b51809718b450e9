"""The whole service as processes, for end-to-end tests."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

PEPPER = Path(sys.executable).with_name("pepper")
LONGEST = 60.0
Json = dict[str, Any]


@dataclass
class Running:
    """A `pepper serve` and where it answers."""

    process: subprocess.Popen[bytes]
    url: str
    data: Path

    def ask(
        self, method: str, path: str, body: Any = None, token: str | None = None, **headers: str
    ) -> tuple[int, Json]:
        """One request; the status and the JSON answer."""
        if token:
            headers["Authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                said = answer.read()
                return answer.status, json.loads(said) if said else {}
        except HTTPError as refused:
            return refused.code, json.load(refused)

    def join(self, name: str) -> str:
        """A new player's token."""
        return str(self.ask("POST", "/v1/players", {"name": name})[1]["token"])

    def children(self, name: str) -> list[int]:
        """The process ids of this service whose command line holds a name."""
        return [pid for pid, line in processes(self.data) if name in line]

    def web(self) -> tuple[int, int]:
        """The process ids of the web server and of its only worker, once there is just one."""
        found: list[int] = []

        def are_two() -> bool:
            found[:] = self.children("gunicorn")
            return len(found) == 2

        eventually(are_two, "one worker")
        one, other = found
        parent = int(Path(f"/proc/{other}/stat").read_text().split()[3])
        return (one, other) if parent == one else (other, one)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Tell it to stop and wait until it has."""
        self.process.send_signal(number)
        return self.process.wait(LONGEST)


def processes(data: Path) -> list[tuple[int, str]]:
    """Every process whose environment or command line names the data folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            if str(data) in line or str(data).encode() in (entry / "environ").read_bytes():
                found.append((int(entry.name), line))
        except OSError:
            continue
    return [(pid, line) for pid, line in found if line]


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(
    data: Path, port: int | None = None, settings: Mapping[str, str] | None = None
) -> Running:
    """Start the service and wait until it prints where it is."""
    port = port or free_port()
    output = data / "output.txt"
    process = launch(data, port, output, settings)
    url = f"http://127.0.0.1:{port}"
    eventually(
        lambda: process.poll() is not None or f"Pepper is ready: {url}" in output.read_text(),
        "ready",
    )
    assert process.poll() is None, output.read_text()
    return Running(process, url, data)


def environment_of(
    data: Path, port: int, settings: Mapping[str, str] | None = None
) -> dict[str, str]:
    """What a process of a service is told."""
    inherited = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
    return {
        **inherited,
        "PORT": str(port),
        "PEPPER_DATA": str(data),
        "PEPPER_RATE_LIMITS": "off",
        **(settings or {}),
    }


@contextmanager
def beside(
    running: Running, commands: Sequence[str], settings: Mapping[str, str] | None = None
) -> Iterator[None]:
    """Further processes of a running service, as on another machine; killed at the end."""
    environment = environment_of(running.data, free_port(), settings)
    started = [
        subprocess.Popen([str(PEPPER), command], env=environment, stdout=subprocess.DEVNULL)
        for command in commands
    ]
    try:
        yield
        assert [each.poll() for each in started] == [None] * len(started)
    finally:
        for each in started:
            each.kill()
            each.wait()


def launch(
    data: Path, port: int, output: Path, settings: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start the service and wait for nothing."""
    environment = environment_of(data, port, settings)
    with output.open("w") as written:
        return subprocess.Popen(
            [str(PEPPER), "serve"], env=environment, stdout=written, stderr=written
        )


@contextmanager
def service(settings: Mapping[str, str] | None = None) -> Iterator[Running]:
    """A service with a data folder of its own, stopped and gone at the end."""
    with tempfile.TemporaryDirectory(prefix="pp-") as folder:
        running = start(Path(folder), settings=settings)
        try:
            yield running
        finally:
            if running.process.poll() is None:
                running.stop()


def eventually(is_so: Callable[[], bool], what: str, longest: float = LONGEST) -> None:
    """Until something is so; fails if it is not for long."""
    deadline = time.monotonic() + longest
    while time.monotonic() < deadline:
        if is_so():
            return
        time.sleep(0.02)
    raise AssertionError(f"not in {longest} s: {what}")
