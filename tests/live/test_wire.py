"""Frames that are written past the web server, over real connections."""

import threading
import time
from collections.abc import Iterator
from itertools import takewhile

import gevent
import gevent.queue
import pytest
from gevent.socket import socket, socketpair

from events.vocabulary import GameId
from service.live import watch as watch_module
from service.live.watch import Gone, Ready, Watch
from service.live.wire import Wire, wire_of

FIRST, SECOND = (Ready(number, b'{"version":%d}' % number, is_last=False) for number in (1, 2))
LAST = Ready(3, b"{}", is_last=True)
GAME = GameId("g_0watched")


@pytest.fixture
def ends() -> Iterator[tuple[socket, socket]]:
    """Ours and the client's."""
    ours, theirs = socketpair()
    with ours, theirs:
        yield ours, theirs


def test_a_frame_is_written_as_one_chunk(ends: tuple[socket, socket]) -> None:
    ours, theirs = ends
    assert Wire(ours, is_sse=True).send(FIRST) == b""
    assert theirs.recv(100) == b'28\r\nid: 1\nevent: event\ndata: {"version":1}\n\n\r\n'
    assert Wire(ours, is_sse=False).send(FIRST) == b""
    assert theirs.recv(100) == b'E\r\n{"version":1}\n\r\n'


def test_what_a_full_connection_does_not_take_goes_on_later(ends: tuple[socket, socket]) -> None:
    ours, theirs = ends
    large = Ready(1, b"x" * (1 << 22), is_last=False)
    wire = Wire(ours, is_sse=True)
    rest = wire.send(large)
    assert 0 < len(rest) < len(large.chunk_of_sse)
    assert wire.send(FIRST) == FIRST.chunk_of_sse
    going_on = gevent.spawn(wire.go_on, rest)
    said = b""
    while len(said) < len(large.chunk_of_sse):
        said += theirs.recv(1 << 16)
    going_on.get(timeout=10)
    assert said == large.chunk_of_sse


def test_a_broken_connection_is_told_of_to_who_goes_on(ends: tuple[socket, socket]) -> None:
    ours, theirs = ends
    theirs.close()
    wire = Wire(ours, is_sse=True)
    rest = wire.send(FIRST)
    assert rest == FIRST.chunk_of_sse
    with pytest.raises(BrokenPipeError):
        wire.go_on(rest)


def test_only_who_waits_is_written_to_and_the_last_frame_is_handed_over(
    ends: tuple[socket, socket],
) -> None:
    ours, theirs = ends
    watch = Watch(GAME, None)
    watch.connection = Wire(ours, is_sse=False)
    assert watch.put(FIRST)
    assert watch.next(0) == FIRST

    heard: list[object] = []
    waiting = threading.Thread(target=lambda: heard.append(watch.next(10)))
    waiting.start()
    while not watch._is_waiting:
        time.sleep(0.01)
    assert watch.put(SECOND)
    assert theirs.recv(100) == SECOND.chunk_of_ndjson
    assert not heard
    assert watch.put(LAST)
    waiting.join(10)
    assert heard == [LAST]


def test_other_connections_are_left_to_the_web_server(ends: tuple[socket, socket]) -> None:
    ours = ends[0]
    assert wire_of({"gunicorn.socket": ours, "SERVER_PROTOCOL": "HTTP/1.1"}, is_sse=True)
    assert not wire_of({"gunicorn.socket": ours, "SERVER_PROTOCOL": "HTTP/1.0"}, is_sse=True)
    assert not wire_of({"gunicorn.socket": object(), "SERVER_PROTOCOL": "HTTP/1.1"}, is_sse=True)
    assert not wire_of({"SERVER_PROTOCOL": "HTTP/1.1"}, is_sse=True)


def test_who_stands_still_is_cut_between_two_chunks(
    ends: tuple[socket, socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_module, "queue", gevent.queue)
    ours, theirs = ends
    watch = Watch(GAME, None)
    watch.connection = Wire(ours, is_sse=False)

    def listen() -> None:
        while not isinstance(item := watch.next(10), Gone):
            if isinstance(item, Ready):
                ours.sendall(item.chunk_of_ndjson)
        ours.close()

    listening = gevent.spawn(listen)
    gevent.sleep(0)
    frames = [Ready(version, b"%7d" % version * 10_000, is_last=False) for version in range(1000)]
    taken = list(takewhile(watch.put, frames))
    said = b"".join(iter(lambda: theirs.recv(1 << 16), b""))
    listening.get(timeout=10)
    written = len(said) // len(frames[0].chunk_of_ndjson)
    assert 0 < written < len(taken) < len(frames)
    assert said == b"".join(frame.chunk_of_ndjson for frame in frames[:written])
