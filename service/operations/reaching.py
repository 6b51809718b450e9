"""Reaching the event server for one command: an embedded one that does not run is started."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redis.exceptions import BusyLoadingError, RedisError

from service.settings import Settings
from service.wiring import events_client, wait_for_server

PEPPER = Path(sys.executable).with_name("pepper")


@contextmanager
def reached(settings: Settings) -> Iterator[None]:
    """The event server answers within the block; exits with a message if there is none."""
    if not settings.embeds_events or _runs(settings):
        wait_for_server(events_client(settings))
        yield
        return
    environment = {**os.environ, "PEPPER_DATA": str(settings.data)}
    server = subprocess.Popen([PEPPER, "embedded", "events"], env=environment)  # noqa: S603  (ours)
    try:
        wait_for_server(events_client(settings))
        yield
    finally:
        server.terminate()
        server.wait()


def _runs(settings: Settings) -> bool:
    try:
        return bool(events_client(settings).ping())
    except BusyLoadingError:
        return True
    except RedisError:
        return False
