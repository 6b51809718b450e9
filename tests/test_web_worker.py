"""The web process's worker, run by gunicorn: who stalls is cut, who goes on is answered."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.impatience import LENGTH, Impatient

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n"
STALL = 4 * Impatient.longest_stall


@pytest.fixture(scope="module")
def bound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The socket of a running server, and its log."""
    folder = tmp_path_factory.mktemp("web")
    path, log = folder / "s", folder / "log"
    flags = ["--worker-class=tests.impatience.Impatient", "--no-control-socket"]
    flags += [f"--bind=unix:{path}", "--logger-class=service.web_hooks.WebLog"]
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "gunicorn", *flags, "tests.impatience:app"], stderr=out
        )
        try:
            ends = time.monotonic() + 20
            while b"Booting worker" not in log.read_bytes() and time.monotonic() < ends:
                time.sleep(0.05)
            yield str(path), log
        finally:
            process.terminate()
            process.wait(10)


def connected(bound: tuple[str, Path]) -> socket.socket:
    """A connection that gives up by itself."""
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(20)
    client.connect(bound[0])
    return client


def received(client: socket.socket) -> int:
    """How many bytes come until the connection is closed or the answer is whole."""
    length = 0
    try:
        while length < LENGTH and (said := client.recv(1 << 20)):
            length += len(said)
    except ConnectionResetError:
        pass
    return length


def test_who_reads_is_answered(bound: tuple[str, Path]) -> None:
    with connected(bound) as client:
        client.sendall(GET)
        assert received(client) >= LENGTH


def test_who_stops_reading_is_cut(bound: tuple[str, Path]) -> None:
    with connected(bound) as client:
        client.sendall(GET)
        time.sleep(STALL)
        assert received(client) < LENGTH
    log = bound[1].read_text()
    assert "a client stalled and was cut" in log
    assert "Traceback" not in log


def test_who_sends_no_more_of_a_body_is_cut(bound: tuple[str, Path]) -> None:
    with connected(bound) as client:
        client.sendall(POST + b"{")
        assert received(client) == 0


def test_a_connection_that_waits_between_requests_is_kept(bound: tuple[str, Path]) -> None:
    with connected(bound) as client:
        for _request in range(2):
            client.sendall(POST + b"{}")
            assert received(client) >= LENGTH
            time.sleep(STALL)
