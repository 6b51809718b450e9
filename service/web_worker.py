"""The worker of the web process: gunicorn's for gevent, which waits for no client for ever."""

from typing import Any

from gunicorn.workers.ggevent import GeventWorker


class PatientWorker(GeventWorker):  # type: ignore[misc]  # gunicorn is untyped
    """Cuts a client that neither sends the rest of its request nor takes its answer.

    Else who stops reading a stream keeps its place for ever, whatever becomes of the token. How
    long the head of a request may take is bounded by gunicorn's `keep-alive`.
    """

    longest_stall = 60.0
    """Seconds that one piece of a request or of an answer may take."""

    def handle_request(self, listener_name: Any, req: Any, sock: Any, addr: Any) -> Any:
        """Answer one request."""
        sock.settimeout(self.longest_stall)
        super().handle_request(listener_name, req, sock, addr)
        sock.settimeout(None)
