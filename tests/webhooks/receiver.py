"""Receivers of webhooks: real HTTP servers on this machine that answer as they are told."""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks import Webhook as Verifier

Answer = Callable[["Handler"], None]


@dataclass
class Receiver:
    """What came, in order, and how the next ones are answered."""

    port: int
    answer: Answer
    came: list["Came"] = field(default_factory=list)

    def url(self, scheme: str = "http", host: str = "127.0.0.1") -> str:
        return f"{scheme}://{host}:{self.port}/hook?key=1"

    def bodies(self, secret: str) -> list[Any]:
        """What came, each with a good signature."""
        return [Verifier(secret).verify(came.body, came.headers) for came in self.came]


@dataclass(frozen=True)
class Came:
    """One POST."""

    path: str
    headers: dict[str, str]
    body: bytes


class Handler(BaseHTTPRequestHandler):
    """Notes a request and answers it."""

    receiver: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.receiver.came.append(Came(self.path, dict(self.headers.items()), body))
        self.receiver.answer(self)

    def log_message(self, *_details: Any) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """A server whose clients may hang up."""

    daemon_threads = True

    def handle_error(self, *_details: Any) -> None:
        """Say nothing."""


def says(status: int, body: bytes = b"", **headers: str) -> Answer:
    """Answers with a status at once."""

    def answer(handler: Handler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def in_turn(*answers: Answer) -> Answer:
    """Answers the first request with the first answer and so on; then with the last."""
    left = list(answers)

    def answer(handler: Handler) -> None:
        (left.pop(0) if len(left) > 1 else left[0])(handler)

    return answer


def drips(handler: Handler) -> None:
    """Answers with one byte after another, and never comes to an end."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while True:
        handler.wfile.write(b"x")
        handler.wfile.flush()
        threading.Event().wait(0.05)


def hangs(_handler: Handler) -> None:
    """Answers nothing."""
    threading.Event().wait(5)


def nonsense(handler: Handler) -> None:
    """Answers something that is not HTTP."""
    handler.wfile.write(b"\x00\xff nonsense\r\n\r\n")


@contextmanager
def receiver(answer: Answer, context: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """A receiver until the block ends."""
    with Server(("127.0.0.1", 0), Handler) as server:
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        own = Receiver(server.server_address[1], answer)
        server.RequestHandlerClass = type("Own", (Handler,), {"receiver": own})
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield own
        finally:
            server.shutdown()
            thread.join()
