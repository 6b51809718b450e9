"""Streams over two web processes: whichever holds one, it ends, goes on and tells alike."""

import json
import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from http.client import HTTPConnection

import pytest

from tests.e2e.listeners import Listener
from tests.e2e.running import Running, eventually, service
from tests.e2e.tables import act, check, new_game, play


@pytest.fixture(scope="module")
def pair() -> Iterator[Running]:
    with service({"WEB_CONCURRENCY": "2"}) as started:
        eventually(lambda: len(started.children("gunicorn")) == 3, "two workers")
        yield started


@contextmanager
def who_is_online(running: Running, path: str) -> Iterator[Iterator[list[int]]]:
    """The seats at which somebody listens, anew whenever that changes."""
    with closing(HTTPConnection(running.url.removeprefix("http://"), timeout=30)) as connection:
        headers = {"Accept": "application/x-ndjson"}
        connection.request("GET", f"{path}/stream?presence=true", headers=headers)
        frames = (json.loads(line) for line in connection.getresponse())
        yield (frame["online"] for frame in frames if frame["type"] == "presence")


def workers(running: Running) -> list[int]:
    """The process ids of the web server's workers: it was there before them."""
    return sorted(running.children("gunicorn"))[1:]


@contextmanager
def standing_still(pid: int) -> Iterator[None]:
    """A process that does nothing until the block ends."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def listeners(pair: Running, path: str, tokens: Sequence[str | None]) -> list[Listener]:
    """A listener for each of these, at either process: an idle one takes all that come."""
    made: list[Listener] = []
    for other in workers(pair):
        with standing_still(other):
            made.extend(Listener(pair, path, token) for token in tokens)
            eventually(lambda: all(each.events() for each in made), "the first frames")
    return made


def test_all_streams_of_a_revoked_token_close(pair: Running) -> None:
    ana, ben = pair.join("Ana"), pair.join("Ben")
    path = new_game(pair, ana, "me", "open", "open")
    pair.ask("POST", f"{path}/seats/2", token=ben)
    body = {"name": "tablet", "scopes": ["read"]}
    made = pair.ask("POST", "/v1/tokens", body, ben)[1]
    revoked = listeners(pair, path, [made["token"]] * 3)
    kept = listeners(pair, path, [ana])
    with who_is_online(pair, path) as told:
        assert [0, 2] in told
        began = time.monotonic()
        pair.ask("DELETE", f"/v1/tokens/{made['token_info']['id']}", token=ben)
        eventually(lambda: all(each.of_type("reconnect") for each in revoked), "to be sent away")
        assert time.monotonic() - began < 10
        assert [0] in told
    assert {each.of_type("reconnect")[0].body["reason"] for each in revoked} == {"token-invalid"}
    eventually(lambda: all(each.refused == 401 for each in revoked), "to be refused")
    pair.ask("POST", f"{path}/abort", token=ana)
    for each in kept:
        assert not each.of_type("reconnect")
        check(each, pair, path)


def test_others_act_while_one_process_stands_still_and_nothing_is_lost(pair: Running) -> None:
    ana, ben = pair.join("Ana"), pair.join("Ben")
    path = new_game(pair, ana, "me", "open", target=2)
    pair.ask("POST", f"{path}/seats", token=ben)
    heard = listeners(pair, path, [ana, ben, None])
    begun = pair.ask("GET", path)[1]["version"]
    with standing_still(workers(pair)[0]):
        until = time.monotonic() + 3
        while time.monotonic() < until:
            act(pair, path, [ana, ben])
            time.sleep(0.2)
    assert pair.ask("GET", path)[1]["version"] > begun
    play(pair, path, [ana, ben], 0)
    for number, listener in enumerate(heard):
        check(listener, pair, path)
        assert listener.events() == heard[number % 3].events()
