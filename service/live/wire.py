"""A stream's connection, written to past the web server while that has nothing to say."""

from typing import Any

from gevent.socket import socket

from service.live.watch import Ready


class Wire:
    """The connection of an answer in chunks of HTTP/1.1, between two chunks of the web server.

    Writing here costs a system call a listener; to wake the listener first costs twice as much.
    Only with gevent's sockets: nothing else runs between a look and a write that relies on it.
    """

    def __init__(self, connection: socket, *, is_sse: bool) -> None:
        self._connection, self._is_sse = connection, is_sse

    def send(self, frame: Ready) -> bytes:
        """Write as much as the connection takes at once; gives the rest, which must go on first."""
        chunk = frame.chunk_of_sse if self._is_sse else frame.chunk_of_ndjson
        try:
            return chunk[self._connection.send(chunk, timeout=0.0) :]
        except OSError:  # full, or broken: who goes on with the rest waits, or ends
            return chunk

    def go_on(self, rest: bytes) -> None:
        """Write what was left, however long that takes; raises OSError."""
        self._connection.sendall(rest)


def wire_of(environ: dict[str, Any], *, is_sse: bool) -> Wire | None:
    """The connection of a request, if its answer will be streamed just so."""
    connection = environ.get("gunicorn.socket")
    if type(connection) is not socket or environ.get("SERVER_PROTOCOL") != "HTTP/1.1":
        return None
    return Wire(connection, is_sse=is_sse)
