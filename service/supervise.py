"""`pepper serve`: the Procfile's processes under supervisord, restarted when they die.

supervisord does the supervising (ADR 0006); this module writes its configuration, waits until the
service answers, and passes signals on.
"""

import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from types import FrameType
from urllib.error import URLError

from service.embedded import die_with_parent
from service.settings import Settings

PROCFILE = Path(__file__).parents[1] / "Procfile"
LONGEST_START = 60.0
_STOPS_LAST = {"events": 1, "queue": 2}
_MAIN = """\
[supervisord]
nodaemon=true
user={user}
logfile=/dev/null
logfile_maxbytes=0
loglevel=critical
pidfile={pidfile}
directory={directory}
silent=true
"""
_PROGRAM = """
[program:{name}]
command={command}
priority={priority}
autorestart=true
startsecs=0
stopwaitsecs=10
redirect_stderr=true
stdout_logfile=/dev/fd/1
stdout_logfile_maxbytes=0
"""


def serve(settings: Settings) -> None:
    """Run every process in the foreground until SIGINT or SIGTERM."""
    settings.data.mkdir(parents=True, exist_ok=True)
    lock = _locked(settings.data)
    _refuse_taken_port(settings)
    supervisor = _start(settings)
    _pass_signals_on(supervisor)
    if _wait_until_ready(settings, supervisor):
        print(f"Pepper is ready: {_url(settings)}", flush=True)  # noqa: T201  (the command's output)
    status = supervisor.wait()
    os.close(lock)
    sys.exit(0 if status in (0, -signal.SIGTERM, -signal.SIGINT) else status)


def programs(settings: Settings, procfile: str) -> dict[str, str]:
    """The processes to run by name: the Procfile's, without servers that are elsewhere."""
    lines = (line.partition(":") for line in procfile.splitlines() if ":" in line)
    named = {name.strip(): command.strip() for name, _colon, command in lines}
    if not settings.embeds_events:
        named.pop("events", None)
    if not settings.embeds_queue:
        named.pop("queue", None)
    return named


def configuration(settings: Settings, procfile: str) -> str:
    """supervisord's configuration; servers start first and stop last."""
    main = _MAIN.format(
        user=os.getuid(),
        pidfile=_escaped(settings.data / "supervisord.pid"),
        directory=_escaped(Path.cwd()),
    )
    parts = (
        _PROGRAM.format(name=name, command=command, priority=_STOPS_LAST.get(name, 10))
        for name, command in programs(settings, procfile).items()
    )
    return main + "".join(parts)


def _escaped(path: Path) -> str:
    return str(path).replace("%", "%%")


def _locked(data: Path) -> int:
    lock = os.open(data / "serve.lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(f"pepper: another `pepper serve` uses {data}; set PEPPER_DATA to another folder")
    return lock


def _refuse_taken_port(settings: Settings) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as fault:
            sys.exit(f"pepper: port {settings.port}: {fault.strerror}; set PORT to another one")


def _start(settings: Settings) -> subprocess.Popen[bytes]:
    file = settings.data / "supervisord.conf"
    file.write_text(configuration(settings, PROCFILE.read_text()))
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "PEPPER_DATA": str(settings.data),
        "PEPPER_SUPERVISED": "1",
    }
    command = [sys.executable, "-m", "supervisor.supervisord", "-n", "-c", str(file)]
    return subprocess.Popen(  # noqa: S603  (our own interpreter)
        command, env=environment, preexec_fn=die_with_parent, start_new_session=True
    )


def _pass_signals_on(supervisor: subprocess.Popen[bytes]) -> None:
    def stop(_number: int, _frame: FrameType | None) -> None:
        supervisor.terminate()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)


def _wait_until_ready(settings: Settings, supervisor: subprocess.Popen[bytes]) -> bool:
    deadline = time.monotonic() + LONGEST_START
    while supervisor.poll() is None:
        try:
            with urllib.request.urlopen(f"{_url(settings)}/readyz", timeout=2):  # noqa: S310  (http)
                return True
        except (URLError, OSError):
            time.sleep(0.05)
        if time.monotonic() > deadline:
            supervisor.terminate()
            supervisor.wait()
            sys.exit("pepper: the service does not get ready; see the messages above")
    return False


def _url(settings: Settings) -> str:
    host = "127.0.0.1" if settings.host == "0.0.0.0" else settings.host  # noqa: S104  (shown)
    return f"http://{host}:{settings.port}"
