"""Many streams read by one lean process of its own, so that its work is not what is measured."""

import multiprocessing
import select
import socket
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import NamedTuple

LONGEST = 60.0
AT_ONCE = 200
"""Connections that are opened before their first frames are waited for."""


class Asked(NamedTuple):
    """A stream to open: the game's path, and a token or none."""

    path: str
    token: str | None = None


class Heard(NamedTuple):
    """When a version reached a listener, who is numbered by its turn of being opened."""

    version: int
    listener: int
    at: float


class Listeners:
    """The process from outside. Times are seconds since 1970, of this machine's clock."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    def open(self, streams: Sequence[Asked]) -> None:
        """Open these as well, and wait until each has its snapshot."""
        self._pipe.send(list(streams))
        if not self._pipe.poll(LONGEST) or self._pipe.recv() != "open":
            raise AssertionError("streams that do not open")

    def heard(self) -> list[Heard]:
        """What has been heard since the last question; raises AssertionError if one has ended."""
        self._pipe.send("heard")
        heard, ended = self._pipe.recv()
        assert not ended, f"{ended} streams have ended"
        return [Heard(*each) for each in heard]


@contextmanager
def listeners(port: int) -> Iterator[Listeners]:
    """A process that listens to whatever streams of a service it is told to."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_listen, args=(port, theirs))
    process.start()
    try:
        yield Listeners(ours)
    finally:
        ours.send(None)
        process.join()


def _listen(port: int, pipe: Connection) -> None:
    ear = _Ear(port)
    while True:
        ear.hear(pipe.fileno())
        match pipe.recv():
            case None:
                return
            case list() as streams:
                for start in range(0, len(streams), AT_ONCE):
                    ear.open(streams[start : start + AT_ONCE])
                pipe.send("open")
            case _:
                pipe.send((ear.heard, ear.ended))
                ear.heard = []


class _Ear:
    """The sockets of all streams, and when each said what."""

    def __init__(self, port: int) -> None:
        self._port, self._poll = port, select.epoll()
        self._sockets: dict[int, socket.socket] = {}
        self._numbers: dict[int, int] = {}
        self._begun: dict[int, bytes] = defaultdict(bytes)
        self.heard: list[tuple[int, int, float]] = []
        self.ended = 0

    def open(self, streams: Sequence[Asked]) -> None:
        """Open these; each has said its first frame then."""
        waiting = {self._open(asked) for asked in streams}
        deadline = time.monotonic() + LONGEST
        while waiting and time.monotonic() < deadline:
            for number, _events in self._poll.poll(1):
                if number not in waiting:
                    self._read(number)
                    continue
                self._begun[number] += self._sockets[number].recv(1 << 16)
                if self._begun[number].endswith(b"\n\n\r\n"):
                    assert b"event: snapshot" in self._begun.pop(number)
                    waiting.discard(number)
        assert not waiting, f"{len(waiting)} streams without a snapshot"

    def _open(self, asked: Asked) -> int:
        opened = socket.create_connection(("127.0.0.1", self._port), timeout=LONGEST)
        line = f"Authorization: Bearer {asked.token}\r\n" if asked.token else ""
        said = f"GET {asked.path}/stream HTTP/1.1\r\nHost: pepper\r\n{line}\r\n"
        opened.sendall(said.encode())
        opened.settimeout(0)
        number = opened.fileno()
        self._sockets[number], self._numbers[number] = opened, len(self._numbers)
        self._poll.register(number, select.EPOLLIN)
        return number

    def hear(self, until: int) -> None:
        """Read until this file has something to say."""
        self._poll.register(until, select.EPOLLIN)
        is_asked = False
        while not is_asked:
            for number, _events in self._poll.poll():
                if number == until:
                    is_asked = True
                else:
                    self._read(number)
        self._poll.unregister(until)

    def _read(self, number: int) -> None:
        said = self._sockets[number].recv(1 << 16)
        now = time.time()
        if not said:
            self._poll.unregister(number)
            self.ended += 1
            return
        if number in self._begun:
            said = self._begun.pop(number) + said
        if not said.endswith(b"\n\n\r\n"):
            self._begun[number] = said
            return
        start = said.find(b"\nid: ")
        while start >= 0:
            end = said.index(b"\n", start + 5)
            self.heard.append((int(said[start + 5 : end]), self._numbers[number], now))
            start = said.find(b"\nid: ", end)
