"""A web worker that soon loses patience, and an app for it (see test_web_worker)."""

from collections.abc import Callable, Iterable
from typing import Any

from service.web_worker import PatientWorker

LENGTH = 1 << 25
"""Bytes of the app's answer: more than the connection holds that nobody reads from."""


class Impatient(PatientWorker):
    """Cuts who stalls for half a second."""

    longest_stall = 0.5


def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Read the body, and answer at length."""
    environ["wsgi.input"].read()
    start_response("200 OK", [("Content-Length", str(LENGTH))])
    return [bytes(1 << 16)] * (LENGTH >> 16)
