"""What gunicorn calls in its workers: they say that they are there, and end when they should."""

import signal
import sys
from typing import Any

import gevent
from gunicorn.glogging import Logger

LOOKED_AFTER = 0.25
"""Seconds between two looks at whether the worker is to end."""

logger_class = "service.web_hooks.WebLog"


class WebLog(Logger):  # type: ignore[misc]  # gunicorn is untyped
    """gunicorn's log as one of our processes'; the app itself says what was requested."""

    def setup(self, cfg: Any) -> None:
        """Hand every line on to the root's handler."""
        from service.logs import configure_logs

        super().setup(cfg)
        configure_logs("web")
        self.error_log.handlers, self.error_log.propagate = [], True

    def exception(self, msg: str, *args: Any, **kwargs: Any) -> None:
        """Say what failed, and where; of a client that was cut only that it was."""
        if isinstance(sys.exc_info()[1], TimeoutError):
            self.info("a client stalled and was cut")
        else:
            super().exception(msg, *args, **kwargs)


def post_fork(_server: Any, worker: Any) -> None:
    """End with the master, however that ends: its successor needs the port at once."""
    from service.embedded import die_with_parent

    die_with_parent(signal.SIGKILL, worker.ppid)


def post_worker_init(worker: Any) -> None:
    """Beat, beside the requests, and watch for the worker's end."""
    gevent.spawn(_beat, worker)
    gevent.spawn(_dismiss_at_the_end, worker)


def _beat(worker: Any) -> None:
    from events.heartbeat import BEAT_SECONDS  # not before gunicorn has patched the sockets
    from service.api.services import parts_of

    heartbeat = parts_of(worker.app.callable).heartbeat
    while worker.alive:
        heartbeat.beat_or_miss()
        gevent.sleep(BEAT_SECONDS)


def _dismiss_at_the_end(worker: Any) -> None:
    while worker.alive:
        gevent.sleep(LOOKED_AFTER)
    from service.api.services import parts_of  # not before gunicorn has patched the sockets

    parts_of(worker.app.callable).dismiss()
