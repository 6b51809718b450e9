"""What gunicorn calls in its workers: streams end at once when a worker must, not at its kill."""

from typing import Any

import gevent

LOOKED_AFTER = 0.25
"""Seconds between two looks at whether the worker is to end."""


def post_worker_init(worker: Any) -> None:
    """Watch, beside the requests, for the worker's end."""
    gevent.spawn(_dismiss_at_the_end, worker)


def _dismiss_at_the_end(worker: Any) -> None:
    while worker.alive:
        gevent.sleep(LOOKED_AFTER)
    from service.api.services import parts_of  # not before gunicorn has patched the sockets

    parts_of(worker.app.callable).hub.close()
