"""The web process: gunicorn with gevent workers, run in place of this process."""

import os
import sys
from typing import NoReturn

from service.settings import Settings
from service.wiring import STREAMS, WAITS, events_client, wait_for_server

GRACEFUL_SECONDS = 3


def run_web(settings: Settings) -> NoReturn:
    """Wait for the store, then become gunicorn."""
    wait_for_server(events_client(settings))
    arguments = {
        "config": "python:service.web_hooks",
        "worker-class": "service.web_worker.PatientWorker",
        "workers": settings.web_processes,
        "bind": f"{settings.host}:{settings.port}",
        "graceful-timeout": GRACEFUL_SECONDS,
        "worker-connections": STREAMS + WAITS + 2500,
        "keep-alive": 65,
        "limit-request-line": 4094,
        # gunicorn's own would let a header SCRIPT_NAME take a prefix off the path, past a proxy
        # that keeps some paths to itself.
        "forwarder-headers": "",
    }
    flags = [f"--{name}={value}" for name, value in arguments.items()]
    command = [sys.executable, "-m", "gunicorn", *flags, "--no-control-socket", "service.wsgi:app"]
    os.execv(sys.executable, command)  # noqa: S606  (no shell is wanted)
