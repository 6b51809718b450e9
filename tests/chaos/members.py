"""The service as processes that may each be killed, stopped, starved of disk, misled in time."""

import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

PAUSE_BEFORE_RESTART = 0.05
WRONG_CLOCK = Path(__file__).with_name("wrong_clock")
UNLIMITED = resource.RLIM_INFINITY
LONGEST_END = 10.0


class Member:
    """One process, started again whenever it ends, as `pepper serve` and systemd do.

    `shift` and `file_limit` are for its next life: seconds by which its clock is wrong, and the
    bytes that a file of its may have.
    """

    def __init__(
        self, name: str, command: Sequence[str], environment: Mapping[str, str], output: Path
    ) -> None:
        self.name, self.shift, self.file_limit = name, 0, UNLIMITED
        self._command, self._environment, self._output = command, environment, output
        self._process: subprocess.Popen[bytes] | None = None
        self._stopping = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name=name)
        self._keeper.start()

    def _keep(self) -> None:
        while not self._stopping.is_set():
            with self._output.open("ab") as output:
                self._process = subprocess.Popen(
                    self._command,
                    env=self._environment_now(),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                    preexec_fn=self._limit if self.file_limit != UNLIMITED else None,
                )
            if self._stopping.is_set():
                self._process.terminate()
            self._process.wait()
            self._stopping.wait(PAUSE_BEFORE_RESTART)

    def _environment_now(self) -> dict[str, str]:
        if not self.shift:
            return {**self._environment}
        path = f"{WRONG_CLOCK}{os.pathsep}{self._environment['PYTHONPATH']}"
        return {**self._environment, "PYTHONPATH": path, "CHAOS_CLOCK_SHIFT": str(self.shift)}

    def _limit(self) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.file_limit, UNLIMITED))

    def pid(self) -> int | None:
        """Its process id, which leads a group of its own; None between two lives."""
        process = self._process
        return None if process is None or process.poll() is not None else process.pid

    def signal(self, number: signal.Signals, *, whole: bool = True) -> bool:
        """Send a signal to it and its children, or to it alone; whether there was somebody."""
        pid = self.pid()
        if pid is None:
            return False
        with suppress(ProcessLookupError):
            (os.killpg if whole else os.kill)(pid, number)
        return True

    def child(self) -> int | None:
        """One child of it, as gunicorn's worker is."""
        pid = self.pid()
        children = Path(f"/proc/{pid}/task/{pid}/children")
        try:
            return int(children.read_text().split()[0])
        except (OSError, IndexError):
            return None

    def limit_files(self, size: int) -> None:
        """From now on no file that it writes grows beyond a size, in this life and later ones."""
        self.file_limit = size
        pid = self.pid()
        if pid is not None:
            with suppress(ProcessLookupError):
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, UNLIMITED))

    def stop(self) -> None:
        """Let it end, and not begin again."""
        self._stopping.set()
        self.signal(signal.SIGCONT)
        self.signal(signal.SIGTERM, whole=False)

    def join(self) -> None:
        """Wait until it has ended; kill what does not."""
        self._keeper.join(LONGEST_END)
        if self._keeper.is_alive():
            self.signal(signal.SIGKILL)
            self._keeper.join()


class Fleet:
    """Two of every process, web processes by their ports, over an event server and a queue."""

    def __init__(self, data: Path, ports: Sequence[int], cut_each: int, seed: int) -> None:
        self.data, self._cut_each, self._seed = data, cut_each, seed
        self.urls = [f"http://127.0.0.1:{port}" for port in ports]
        self.output = data / "output.txt"
        self.members: dict[str, Member] = {}
        self.cuts = data / "cuts.txt"
        self.events_url = f"unix://{data / 'events.sock'}"
        self.queue_url = f"unix://{data / 'queue.sock'}"
        self._start(ports)

    def _start(self, ports: Sequence[int]) -> None:
        pepper = [sys.executable, "-c", "from service.cli import main; main()"]
        line = [sys.executable, "-m", "tests.chaos.line", str(self.data / "events.sock")]
        line += [str(self.data / "line.sock"), str(self._cut_each), str(self._seed), str(self.cuts)]
        self._add("events", [*pepper, "embedded", "events"])
        self._add("queue", [*pepper, "embedded", "queue"])
        self._add("line", line)
        for number, port in enumerate(ports, 1):
            self._add(f"web {number}", [*pepper, "web"], PORT=str(port))
        for number in (1, 2):
            self._add(f"follower {number}", [*pepper, "follow"])
            self._add(f"ticker {number}", [*pepper, "tick"])
            self._add(f"worker {number}", [*pepper, "work"])

    def _add(self, name: str, command: Sequence[str], **environment: str) -> None:
        root = str(Path(__file__).parents[2])
        known = {name: value for name, value in os.environ.items() if name != "PORT"}
        everywhere = {
            "PYTHONPATH": os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH")))),
            "PEPPER_DATA": str(self.data),
            "PEPPER_RATE_LIMITS": "off",
            "PEPPER_PACK_AFTER": "0",
            "REDIS_URL": f"unix://{self.data / 'line.sock'}",
            "QUEUE_URL": self.queue_url,
            "PEPPER_SUPERVISOR": str(os.getpid()),
        }
        whole = {**known, **everywhere, **environment}
        self.members[name] = Member(name, command, whole, self.output)

    def of(self, *kinds: str) -> list[Member]:
        """The members whose names begin so."""
        return [member for name, member in self.members.items() if name.split()[0] in kinds]

    def log_size(self) -> int:
        """The bytes of the event server's append-only file."""
        files = (self.data / "events" / "appendonlydir").glob("*.incr.aof")
        return max((file.stat().st_size for file in files), default=0)

    def note(self, what: str) -> None:
        """Write down what is done to it among what the processes say."""
        at = datetime.now(UTC).isoformat()
        with self.output.open("a") as output:
            output.write(f'{{"event":"FAULT {what}","at":"{at}"}}\n')

    def cuts_made(self) -> int:
        """How many connections the line has cut before an answer."""
        return self.cuts.stat().st_size if self.cuts.exists() else 0

    def heal(self) -> None:
        """Nothing is stopped, starved or misled any more."""
        self.members["events"].limit_files(UNLIMITED)
        for member in self.members.values():
            member.signal(signal.SIGCONT)
            if member.shift:
                member.shift = 0
                member.signal(signal.SIGKILL)

    def close(self) -> None:
        """End everything, the servers last."""
        last = {"events", "queue", "line"}
        for names in (self.members.keys() - last, last):
            for name in names:
                self.members[name].stop()
            for name in names:
                self.members[name].join()
