"""What gunicorn calls in its workers: streams end at once when a worker must, not at its kill."""

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


def post_worker_init(worker: Any) -> None:
    """Watch, beside the requests, for the worker's end."""
    gevent.spawn(_dismiss_at_the_end, worker)


def _dismiss_at_the_end(worker: Any) -> None:
    while worker.alive:
        gevent.sleep(LOOKED_AFTER)
    from service.api.services import parts_of  # not before gunicorn has patched the sockets

    parts_of(worker.app.callable).dismiss()
