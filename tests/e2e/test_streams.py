"""Streams of real processes: whatever is cut, stopped or killed, nothing is lost or comes twice."""

import os
import resource
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from redis import Redis

from service.embedded import socket_path
from service.wiring import CONNECTIONS
from tests.e2e.listeners import Crowd, Listener, cut_again_and_again, versions
from tests.e2e.running import Running, eventually, service
from tests.e2e.tables import act, check, new_game, play

MIB = 1 << 20
SLOWEST = 3.0
"""Seconds that an answer may take beside a thousand streams, however slow the machine is."""

BAD_ASKS = [
    ("GET", "stream?presence=true", None),
    ("GET", "stream?after=0", None),
    ("GET", "events?after=99&wait=25", None),
    ("POST", "actions", {"type": "pass"}),
    ("POST", "actions", {"type": "bid", "bid": "3"}),
    ("DELETE", "seats/0", None),
    ("POST", "seats/1", None),
]
"""What takes a place, a turn or a seat, if the token is good."""


@pytest.fixture(scope="module")
def own() -> Iterator[Running]:
    with service() as started:
        yield started


@pytest.fixture
def crowd(own: Running) -> Iterator[Crowd]:
    """Listeners without limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    made = Crowd(own)
    yield made
    made.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_clients_cut_again_and_again_hear_what_one_that_is_not_hears(own: Running) -> None:
    ana, ben = own.join("Ana"), own.join("Ben")
    path = new_game(own, ana, "me", "open", "bot", target=12)
    own.ask("POST", f"{path}/seats", token=ben)
    viewers = [ana, ben, None]
    steady = [Listener(own, path, token) for token in viewers]
    cut = [Listener(own, path, token) for token in viewers * 4]
    playing = threading.Thread(target=play, args=(own, path, [ana, ben], 0.08))
    playing.start()
    cut_again_and_again(cut, lambda: not playing.is_alive())
    playing.join()
    for listener in [*steady, *cut]:
        check(listener, own, path)
    for number, listener in enumerate(cut):
        assert listener.events() == steady[number % 3].events()
        assert listener.connections > 1


def test_a_web_process_that_stands_still_loses_nothing(own: Running) -> None:
    token = own.join("Host")
    path = new_game(own, token, "bot", "bot", "bot", target=100)
    listeners = [Listener(own, path, each) for each in (token, None)]
    eventually(lambda: all(listener.events() for listener in listeners), "the first frames")
    _server, worker = own.web()
    os.kill(worker, signal.SIGSTOP)
    time.sleep(3)
    os.kill(worker, signal.SIGCONT)
    eventually(lambda: own.ask("GET", path)[1]["status"] == "finished", "the end")
    for listener in listeners:
        check(listener, own, path)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_worker_that_ends_sends_its_streams_elsewhere(own: Running, number: int) -> None:
    token = own.join("Ana")
    path = new_game(own, token, "me", "open")
    listener = Listener(own, path, token)
    eventually(lambda: len(listener.events()) > 0, "the first frames")
    server, worker = own.web()
    began = time.monotonic()
    os.kill(server if number == signal.SIGHUP else worker, number)
    eventually(lambda: bool(listener.of_type("reconnect")), "to be sent away", 10)
    assert time.monotonic() - began < 3
    assert listener.of_type("reconnect")[0].body["reason"] == "closing"
    eventually(lambda: listener.connections > 1, "another connection")
    own.ask("POST", f"{path}/abort", token=token)
    check(listener, own, path)
    eventually(lambda: own.web()[1] != worker, "another worker alone")


def test_a_bad_token_touches_no_stream_no_seat_and_no_timer(own: Running) -> None:
    ana, ben = own.join("Ana"), own.join("Ben")
    path = new_game(own, ana, "me", "open", target=1)
    own.ask("POST", f"{path}/seats", token=ben)
    made = own.ask("POST", "/v1/tokens", {"name": "lost", "scopes": ["read", "play"]}, ana)[1]
    own.ask("DELETE", f"/v1/tokens/{made['token_info']['id']}", token=ana)
    listeners = [Listener(own, path, token) for token in (ana, ben, None)]
    eventually(lambda: all(each.events() for each in listeners), "the first frames")
    seen = own.ask("GET", path, token=ana)
    for bad in (made["token"], "pepper_unknown", "x" * 300):
        for method, what, body in BAD_ASKS:
            assert own.ask(method, f"{path}/{what}", body, bad)[0] == 401
    assert own.ask("GET", path, token=ana) == seen
    play(own, path, [ana, ben], 0)
    for each in listeners:
        check(each, own, path)
        assert each.connections == 1


def memory(pid: int) -> int:
    """The resident memory of a process, in bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def has_snapshot(said: bytearray) -> bool:
    return b"event: snapshot" in said


def test_streams_that_were_dropped_hold_nothing(own: Running, crowd: Crowd) -> None:
    """The first crowd's memory is kept for the next one by the allocator, and is enough for it."""
    path = new_game(own, own.join("Ana"), "me", "open")
    _server, worker = own.web()
    store = Redis(unix_socket_path=str(socket_path("events", own.data)))

    def files() -> int:
        return len(list(Path(f"/proc/{worker}/fd").iterdir()))

    def open_and_drop() -> tuple[int, int]:
        """A thousand streams, and what the process and the store hold when all are gone."""
        for _ in range(2):
            for _ in range(500):
                crowd.open(path)
            crowd.read_until(has_snapshot, "a snapshot")
            crowd.drop()
        eventually(lambda: files() < before, "the connections' end", 30)
        return memory(worker), int(store.info("clients")["connected_clients"])

    before = files() + CONNECTIONS + 10
    resident, clients = open_and_drop()
    resident_again, clients_again = open_and_drop()
    assert resident_again - resident < 20 * MIB
    assert max(clients, clients_again) <= CONNECTIONS + 20
    store.close()


@contextmanager
def timed(seconds: list[float]) -> Iterator[None]:
    """Note how long the block takes."""
    began = time.monotonic()
    yield
    seconds.append(time.monotonic() - began)


def test_a_thousand_streams_hear_of_every_action_and_slow_none(own: Running, crowd: Crowd) -> None:
    tokens = [own.join("Ana"), own.join("Ben")]
    paths = []
    for _ in range(100):
        paths.append(new_game(own, tokens[0], "me", "open"))
        own.ask("POST", f"{paths[-1]}/seats", token=tokens[1])
    opened = {path: [crowd.open(path) for _ in range(10)] for path in paths}
    crowd.read_until(has_snapshot, "a snapshot")
    ends, seconds = {}, list[float]()
    for path in paths:
        begun = own.ask("GET", path)[1]["version"]
        act(own, path, tokens)
        with timed(seconds):
            view = act(own, path, tokens)
        ends[path] = (begun, view["version"])
        assert view["version"] > begun + 1
        with timed(seconds):
            assert own.ask("GET", "/healthz")[0] == 200
    assert max(seconds) < SLOWEST
    wanted = {one: ends[path] for path, several in opened.items() for one in several}
    last = {
        id(crowd.said[one]): f"id: {version}\n".encode() for one, (_, version) in wanted.items()
    }
    crowd.read_until(lambda said: last[id(said)] in said and said.endswith(b"\n\n\r\n"), "the last")
    for one, (begun, version) in wanted.items():
        assert versions(crowd.said[one]) == list(range(begun + 1, version + 1))
