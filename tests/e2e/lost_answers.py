"""A line that loses answers, and a client that asks until it has one."""

import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

from tests.e2e.running import Json, Running

LONGEST = 60.0


class Answer(NamedTuple):
    """What the service said to a request under a key."""

    status: int
    is_replayed: bool
    body: Json


class Loser(BaseHTTPRequestHandler):
    """Hands requests on, and the answers back, but never the first answer under a key."""

    protocol_version = "HTTP/1.1"
    service: str
    answers: dict[str, list[Answer]]

    def do_POST(self) -> None:
        asked = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            status, headers, said = self._handed_on(asked)
        except (OSError, HTTPException):
            self.close_connection = True
            return
        answers = self.answers.setdefault(self.headers["Idempotency-Key"], [])
        answers.append(Answer(status, "Idempotent-Replayed" in headers, json.loads(said)))
        if len(answers) == 1:
            self.close_connection = True
            return
        self.send_response(status)
        for name, value in (*headers.items(), ("Content-Length", str(len(said)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(said)

    def _handed_on(self, asked: bytes) -> tuple[int, Mapping[str, str], bytes]:
        with closing(HTTPConnection(self.service, timeout=15)) as connection:
            connection.request("POST", self.path, asked, {**self.headers, "Host": self.service})
            answer = connection.getresponse()
            kept = ("Content-Type", "ETag", "Location", "Idempotent-Replayed")
            headers = {name: answer.headers[name] for name in kept if name in answer.headers}
            return answer.status, headers, answer.read()

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


class Client:
    """Posts through a line that loses answers, each request until it is answered."""

    def __init__(self, line: Running, answers: Mapping[str, list[Answer]]) -> None:
        self._line, self.answers = line, answers
        self.meanwhile: Callable[[], object] = lambda: None

    def post(
        self, path: str, body: Json, token: str | None = None, version: int | None = None
    ) -> Json:
        """The answer to a request under a key of its own; `meanwhile` happens before it is asked
        again. Fails if it was not done once and answered alike.
        """
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        if version is not None:
            headers["If-Match"] = f'"{version}"'
        deadline = time.monotonic() + LONGEST
        while time.monotonic() < deadline:
            try:
                status, answer = self._line.ask("POST", path, body, token, **headers)
            except (OSError, HTTPException):
                self.meanwhile()
                continue
            self._check(self.answers[headers["Idempotency-Key"]], status, answer)
            return answer
        raise AssertionError(f"no answer to {body} at {path}")

    def _check(self, answers: list[Answer], status: int, answer: Json) -> None:
        first, *others = answers
        assert status < 300, answer
        assert (first.status, first.is_replayed, first.body) == (status, False, answer)
        assert others
        assert all(each == (status, True, answer) for each in others)


@contextmanager
def losing_answers(running: Running) -> Iterator[Client]:
    """A client of a running service, over a line of its own."""
    address = running.url.removeprefix("http://")
    answers: dict[str, list[Answer]] = {}
    handler = type("Handler", (Loser,), {"service": address, "answers": answers})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as line:
        serving = threading.Thread(target=line.serve_forever)
        serving.start()
        try:
            yield Client(replace(running, url=f"http://127.0.0.1:{line.server_port}"), answers)
        finally:
            line.shutdown()
            serving.join()
