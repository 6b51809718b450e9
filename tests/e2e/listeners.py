"""Clients of streams of a running service: one that never gives up, and many at once."""

import selectors
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from random import Random

from tests.e2e.running import Running
from tests.streaming import Frame, of_sse

LONGEST = 60.0


class Listener(threading.Thread):
    """Follows a stream to its end; when a connection breaks it resumes where it stopped."""

    def __init__(
        self, running: Running, path: str, token: str | None = None, last: str = "0"
    ) -> None:
        super().__init__(daemon=True)
        self._host, self._path, self._token = running.url.removeprefix("http://"), path, token
        self.frames: list[Frame] = []
        self.connections, self.last = 0, last
        self.refused, self.pause = 0, 0.0
        self._connection: HTTPConnection | None = None
        self.start()

    def run(self) -> None:
        deadline = time.monotonic() + LONGEST
        while self.last != "end" and time.monotonic() < deadline:
            with suppress(OSError, HTTPException):
                self._listen()
            time.sleep(self.pause)

    def _listen(self) -> None:
        with closing(HTTPConnection(self._host, timeout=15)) as self._connection:
            self._read(self._connection)

    def _read(self, connection: HTTPConnection) -> None:
        headers = {"Last-Event-ID": self.last}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        connection.request("GET", f"{self._path}/stream", headers=headers)
        with connection.getresponse() as answer:
            if answer.status != 200:
                self.refused, self.last = answer.status, "end"
                return
            self.connections += 1
            for frame in of_sse(line.decode() for line in answer):
                self.frames.append(frame)
                self.last = frame.id or self.last

    def cut(self, seconds: float) -> None:
        """Lose the connection, and stay away for a while."""
        self.pause = seconds
        connection = self._connection
        if connection is not None and connection.sock is not None:
            with suppress(OSError):
                connection.sock.shutdown(socket.SHUT_RDWR)

    def events(self) -> list[Frame]:
        """The versions that it was told of."""
        return [frame for frame in self.frames if frame.type == "event"]

    def of_type(self, kind: str) -> list[Frame]:
        """The frames of a type."""
        return [frame for frame in list(self.frames) if frame.type == kind]


def cut_again_and_again(listeners: Sequence[Listener], is_over: Callable[[], bool]) -> None:
    """Cut them by turns, mostly for 0.3 s and now and then for 2 to 5 s."""
    chance = Random(3)
    while not is_over():
        chance.choice(listeners).cut(chance.choice([0.3] * 12 + [chance.uniform(2, 5)]))
        time.sleep(0.02)


class Crowd:
    """Many streams open at once, read by one thread."""

    def __init__(self, running: Running) -> None:
        host, _, port = running.url.removeprefix("http://").partition(":")
        self._address = (host, int(port))
        self._selector = selectors.DefaultSelector()
        self.said: dict[socket.socket, bytearray] = {}

    def open(self, path: str) -> socket.socket:
        """One more stream from the game's version now."""
        opened = socket.create_connection(self._address, timeout=15)
        opened.sendall(f"GET {path}/stream HTTP/1.1\r\nHost: pepper\r\n\r\n".encode())
        opened.settimeout(0)
        self._selector.register(opened, selectors.EVENT_READ)
        self.said[opened] = bytearray()
        return opened

    def read_until(self, have: Callable[[bytearray], bool], what: str) -> None:
        """Read until every stream has said so much."""
        deadline = time.monotonic() + LONGEST
        waiting = {one for one, said in self.said.items() if not have(said)}
        while waiting:
            assert time.monotonic() < deadline, f"{len(waiting)} streams without {what}"
            for key, _events in self._selector.select(1):
                opened = key.fileobj
                assert isinstance(opened, socket.socket)
                said = opened.recv(1 << 16)
                assert said, f"a stream without {what} has ended"
                self.said[opened] += said
                if have(self.said[opened]):
                    waiting.discard(opened)

    def drop(self) -> None:
        """Lose every connection."""
        for opened in self.said:
            self._selector.unregister(opened)
            opened.close()
        self.said.clear()

    def close(self) -> None:
        """Lose all, and be done."""
        self.drop()
        self._selector.close()


def versions(said: bytes | bytearray) -> list[int]:
    """The ids of the events that a stream has said whole."""
    whole = bytes(said).split(b"id: ")
    return [int(each.partition(b"\n")[0]) for each in whole[1:] if b"event: event\n" in each]
