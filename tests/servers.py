"""Real servers for tests: the embedded Valkey and Debian's redis-server, each a process."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import ResponseError
from redis.retry import Retry

from service.embedded import binary


@contextmanager
def running_server(program: str, folder: Path, *arguments: str) -> Iterator[str]:
    """A server that runs until the block ends; gives the URL of its unix socket."""
    folder.mkdir(parents=True, exist_ok=True)
    socket = folder / "s"
    command = [program, "--port", "0", "--unixsocket", str(socket), "--dir", str(folder)]
    process = subprocess.Popen(
        [*command, "--save", "", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT
    )
    try:
        wait_for_server(f"unix://{socket}")
        yield f"unix://{socket}"
    finally:
        process.terminate()
        process.wait(10)


def wait_for_server(url: str) -> None:
    """Until the server answers; raises AssertionError after ten seconds."""
    deadline = time.monotonic() + 10
    with Redis.from_url(url, retry=Retry(NoBackoff(), 0)) as client:
        while time.monotonic() < deadline:
            try:
                client.ping()
            except (Unreachable, ResponseError):
                time.sleep(0.02)
            else:
                return
    raise AssertionError(f"no server at {url}")


def valkey() -> str:
    """The embedded server's program."""
    return binary()


def debian_redis() -> str:
    """Debian's redis-server; its absence is a skip that says so, and in CI a failure."""
    found = shutil.which("redis-server")
    if found is None:
        absent = pytest.fail if os.environ.get("PEPPER_CI") else pytest.skip
        absent("no redis-server on the PATH: install the Debian package redis-server")
    return found
