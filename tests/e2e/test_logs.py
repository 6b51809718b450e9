"""What the processes say while a game is played: JSON, and nothing that is secret."""

import json
import re
import socket
from collections.abc import Iterator
from http.client import HTTPConnection

import pytest

from events.vocabulary import Card
from tests.e2e.running import Json, Running, eventually, service
from tests.e2e.test_games import play_to_the_end

LOGGING = ("web", "follower", "worker")
IDS = re.compile(r"\b[gptw]_[A-Za-z0-9_-]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
CARDS = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(Card)})(?![A-Za-z0-9])")
BROKEN = b"GET /v1/me?q=sEcReT HTTP/1.1\r\nHost: x\r\nAuthoriza tion: Bearer pepper_%s\r\n\r\n"
Said = list[tuple[str, Json]]


@pytest.fixture(scope="module")
def own() -> Iterator[Running]:
    with service() as started:
        yield started


def said(running: Running) -> Said:
    """The lines of the processes that log, each with the process's name; fails unless all JSON."""
    lines = (running.data / "output.txt").read_text().splitlines()
    named = [line.partition("|") for line in lines]
    return [(name.strip(), json.loads(line)) for name, _, line in named if name.strip() in LOGGING]


def requests(running: Running) -> list[Json]:
    return [line for name, line in said(running) if name == "web" and line["event"] == "request"]


def test_a_whole_game_is_logged_without_its_secrets(own: Running) -> None:
    token = own.join("Ana")
    _status, linked = own.ask("POST", "/v1/me/link-code", token=token)
    second = own.ask("POST", "/v1/tokens", {"link_code": linked["code"]})[1]["token"]
    _status, view = own.ask("POST", "/v1/games", {"players": 4}, second)
    play_to_the_end(own, view, second)
    path = f"/v1/games/{view['id']}"
    own.ask("GET", f"{path}?as={token}", token=token)
    own.ask("GET", f"/v1/nothing/{token}?{second}")
    send(own, BROKEN % token.encode())
    eventually(lambda: requests(own)[-1]["route"] == "none", "the last request's line")
    text = "\n".join(json.dumps(line) for _name, line in said(own))
    assert not CARDS.search(IDS.sub("", text)), CARDS.search(IDS.sub("", text))
    for secret in (token, second, linked["code"], linked["code"].replace("-", ""), "sEcReT", "Ana"):
        assert secret not in text
    assert {name for name, _line in said(own)} >= {"web"}
    assert all({"at", "level", "process", "pid", "event"} <= line.keys() for _, line in said(own))


def send(running: Running, request: bytes) -> None:
    port = int(running.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(request)
        assert connection.recv(12) == b"HTTP/1.1 400"


def test_every_request_is_one_line(own: Running) -> None:
    token = own.join("Ben")
    _status, player = own.ask("GET", "/v1/me", token=token)
    _status, view = own.ask("POST", "/v1/games", {"players": 2}, token)
    name = "check-one-line-of-a-request"
    path = f"/v1/games/{view['id']}"
    own.ask("GET", f"{path}?version=1", token=token, **{"X-Request-Id": name})

    def lines() -> list[Json]:
        return [line for line in requests(own) if line["request_id"] == name]

    eventually(lambda: bool(lines()), "the request's line")
    (line,) = lines()
    assert line.pop("ms") > 0
    assert line.pop("pid") in own.children("gunicorn")
    assert line.pop("at").endswith("Z")
    assert line == {
        "process": "web", "level": "info", "event": "request", "request_id": name,
        "method": "GET", "route": "/v1/games/<game_id>", "status": 200,
        "game": view["id"], "player": player["id"],
    }  # fmt: skip


def test_requests_of_one_connection_have_ids_of_their_own(own: Running) -> None:
    connection = HTTPConnection(own.url.removeprefix("http://"))
    answered = []
    for _again in range(3):
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        answer.read()
        answered.append(answer.headers["X-Request-Id"])
    connection.close()
    assert len(set(answered)) == 3

    def logged() -> set[str]:
        return {line["request_id"] for line in requests(own)}

    eventually(lambda: set(answered) <= logged(), "the ids in the log")
