"""`pepper serve`: the Procfile's processes, each restarted at once when it dies (ADR 0006)."""

import contextlib
import fcntl
import os
import shlex
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path
from queue import SimpleQueue
from typing import IO
from urllib.error import URLError

from service.metrics_folder import VARIABLE, empty
from service.settings import Settings
from service.stopping import is_asked, stop_signals

PROCFILE = Path(__file__).with_name("Procfile")
LONGEST_START, LONGEST_STOP = 60.0, 10.0
SHORT_LIFE, SHORTEST_PAUSE, LONGEST_PAUSE = 1.0, 0.05, 0.5
"""Seconds: what dies younger than the first is restarted after a growing pause."""

STOP_LAST = ("queue", "events")


class Supervised:
    """One process of the Procfile, kept running by a thread of its own."""

    def __init__(self, name: str, command: str, environment: dict[str, str]) -> None:
        self.name = name
        self._command, self._environment = shlex.split(command), environment
        self._process: subprocess.Popen[bytes] | None = None
        self._stopping = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name=name)
        self._keeper.start()

    def _keep(self) -> None:
        pause = SHORTEST_PAUSE
        while not self._stopping.is_set():
            born = time.monotonic()
            status = self._run()
            if self._stopping.is_set():
                return
            _say(f"pepper   | {self.name} ended ({status}), restarting")
            is_short = time.monotonic() - born < SHORT_LIFE
            pause = min(2 * pause, LONGEST_PAUSE) if is_short else SHORTEST_PAUSE
            self._stopping.wait(pause)

    def _run(self) -> int:
        self._process = process = subprocess.Popen(  # noqa: S603  (commands of our own Procfile)
            self._command,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        assert process.stdout is not None  # noqa: S101  (asked for above)
        threading.Thread(target=self._show, args=(process.stdout,), daemon=True).start()
        if self._stopping.is_set():
            process.terminate()
        return process.wait()

    def _show(self, output: IO[bytes]) -> None:
        """Print what it says, its name first; read on when nobody listens, or it would block."""
        with output:
            for line in output:
                with contextlib.suppress(OSError):
                    sys.stdout.buffer.write(f"{self.name:<8} | ".encode() + line)
                    sys.stdout.buffer.flush()

    def stop(self) -> None:
        """Tell it to end; kill it if it does not within the time a stop may take."""
        self._stopping.set()
        if self._process is not None:
            self._process.terminate()

    def join(self) -> None:
        """Wait until it has ended."""
        self._keeper.join(LONGEST_STOP)
        if self._keeper.is_alive() and self._process is not None:
            self._process.kill()
            self._keeper.join()


def serve(settings: Settings) -> None:
    """Run every process in the foreground until SIGINT, SIGTERM or the terminal's end."""
    lock = _locked(settings.data)
    _refuse_taken_port(settings)
    empty(_counts(settings))
    asked = stop_signals()
    named = programs(settings, PROCFILE.read_text())
    running = [Supervised(name, line, _environment(settings)) for name, line in named.items()]
    try:
        if _wait_until_ready(settings, asked):
            _say(f"Pepper is ready: {_url(settings)} (the API: {_url(settings)}/docs)")
            asked.get()
    finally:
        _stop_all(running)
        os.close(lock)


def _say(line: str) -> None:
    with contextlib.suppress(OSError):
        print(line, flush=True)  # noqa: T201  (the command's output)


def _stop_all(running: list[Supervised]) -> None:
    users = [each for each in running if each.name not in STOP_LAST]
    for each in users:
        each.stop()
    for each in users:
        each.join()
    servers = [each for each in running if each.name in STOP_LAST]
    for each in sorted(servers, key=lambda server: STOP_LAST.index(server.name)):
        each.stop()
        each.join()


def programs(settings: Settings, procfile: str) -> dict[str, str]:
    """The processes to run by name: the Procfile's, without servers that are elsewhere."""
    lines = (line.partition(":") for line in procfile.splitlines() if ":" in line)
    named = {name.strip(): command.strip() for name, _colon, command in lines}
    if not settings.embeds_events:
        named.pop("events", None)
    if not settings.embeds_queue:
        named.pop("queue", None)
    return named


def _environment(settings: Settings) -> dict[str, str]:
    return {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "PEPPER_DATA": str(settings.data),
        "PEPPER_SUPERVISOR": str(os.getpid()),
        VARIABLE: str(_counts(settings)),
    }


def _counts(settings: Settings) -> Path:
    return Path(os.environ.get(VARIABLE) or settings.data / "metrics")


def _locked(data: Path) -> int:
    try:
        data.mkdir(parents=True, exist_ok=True)
        lock = os.open(data / "serve.lock", os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(f"pepper: another `pepper serve` uses {data}; set PEPPER_DATA to another folder")
    except OSError as fault:
        sys.exit(f"pepper: PEPPER_DATA {data}: {fault.strerror}")
    return lock


def _refuse_taken_port(settings: Settings) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as fault:
            sys.exit(f"pepper: port {settings.port}: {fault.strerror}; set PORT to another one")


def _wait_until_ready(settings: Settings, asked: SimpleQueue[int]) -> bool:
    deadline = time.monotonic() + LONGEST_START
    while not is_asked(asked, 0.05):
        try:
            with urllib.request.urlopen(f"{_url(settings)}/readyz", timeout=2):  # noqa: S310  (http)
                return True
        except (URLError, OSError):
            if time.monotonic() > deadline:
                sys.exit("pepper: the service does not get ready; see the messages above")
    return False


def _url(settings: Settings) -> str:
    host = "127.0.0.1" if settings.host == "0.0.0.0" else settings.host  # noqa: S104  (shown)
    return f"http://{host}:{settings.port}"
