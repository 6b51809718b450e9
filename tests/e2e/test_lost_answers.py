"""Whole games over a line that loses the answer to every request once: each is done once."""

import os
import random
import signal
import tempfile
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import cycle
from pathlib import Path

import pytest

from tests.e2e.lost_answers import Client, losing_answers
from tests.e2e.running import Json, Running, eventually, free_port, service, start

CALLED = {"bid": "bid", "pass": "passed", "name_trump": "trump_named", "play_card": "card_played"}
SAID = ("bid", "trump", "card")
MADE: list[tuple[str, Json]] = [
    ("/v1/players", {"name": "Ben"}),
    ("/v1/games", {"players": 4}),
    ("/v1/tokens", {"name": "Bot", "scopes": ["read"]}),
    ("/v1/me/link-code", {}),
    ("/v1/me/recovery-code", {}),
    ("/v1/webhooks", {"url": "https://bot.example.org/", "events": ["turn"]}),
]


@pytest.fixture(scope="module")
def pair() -> Iterator[Running]:
    with service({"WEB_CONCURRENCY": "2"}) as started:
        eventually(lambda: len(started.children("gunicorn")) == 3, "two workers")
        yield started


class Table:
    """Two persons and a bot; `sent` is what the persons did, in order."""

    def __init__(self, running: Running, client: Client) -> None:
        self._running, self._client = running, client
        made = [client.post("/v1/players", {"name": name}) for name in ("Ana", "Ben")]
        self.tokens = [str(each["token"]) for each in made]
        seats = [{"kind": kind} for kind in ("me", "open", "bot")]
        body = {"players": 3, "seats": seats, "rules": {"target_score": 5}}
        self.path = f"/v1/games/{client.post('/v1/games', body, self.tokens[0])['id']}"
        client.post(f"{self.path}/seats", {"entropy": "ben's dice"}, self.tokens[1])
        self.sent: list[tuple[int, str, list[str]]] = []
        self._chance = random.Random(self.path)

    def view(self, token: str | None = None) -> Json:
        """The game as one sees it, asked over a line that loses nothing."""
        return self._running.ask("GET", self.path, token=token)[1]

    def turn(self) -> tuple[str, Json, Json] | None:
        """Whose turn it is, of the persons: their token, their view, and what they choose to do."""
        for token in self.tokens:
            view = self.view(token)
            if view["you"]["legal_actions"]:
                return token, view, self._chance.choice(view["you"]["legal_actions"])
        return None

    def act(self) -> None:
        """One action of a person, if it is their turn."""
        turn = self.turn()
        if turn is None:
            return
        token, view, action = turn
        self._client.post(f"{self.path}/actions", action, token, view["version"])
        self.note(view, action)

    def note(self, view: Json, action: Json) -> None:
        """Take note of what somebody has done."""
        self.sent.append((view["you"]["seat"], CALLED[action["type"]], said(action)))

    def play(self) -> None:
        """Until the game is over."""
        while self.view()["status"] == "in_progress":
            self.act()

    def check(self) -> None:
        """Fails unless the log of the finished game holds what the persons did, each once."""
        assert self.view()["status"] == "finished"
        _status, replay = self._running.ask("GET", f"{self.path}/replay")
        done = [
            (event["seat"], event["type"], said(event))
            for event in replay["events"]
            if event["by"]["kind"] == "player" and event["type"] in CALLED.values()
        ]
        assert done == self.sent


def said(spoken: Json) -> list[str]:
    return [str(spoken[name]) for name in SAID if name in spoken]


def test_a_game_over_a_line_that_loses_every_answer(running: Running) -> None:
    with losing_answers(running) as client:
        table = Table(running, client)
        table.play()
    table.check()
    assert len(table.sent) > 10


def test_a_game_whose_web_processes_are_replaced_meanwhile(pair: Running) -> None:
    """Now and then all are told to reload, or one is killed, while an answer is lost."""
    server = min(pair.children("gunicorn"))
    turns = cycle(range(8))

    def replace_web() -> None:
        turn = next(turns)
        if turn == 0:
            os.kill(server, signal.SIGHUP)
        elif turn == 4:
            with suppress(ProcessLookupError):
                os.kill(max(pair.children("gunicorn")), signal.SIGKILL)

    with losing_answers(pair) as client:
        table = Table(pair, client)
        client.meanwhile = replace_web
        table.play()
    table.check()


def test_twenty_copies_over_two_processes_do_it_once(pair: Running) -> None:
    with losing_answers(pair) as client:
        table = Table(pair, client)
        for _action in range(3):
            eventually(lambda: table.turn() is not None, "a person's turn")
            turn = table.turn()
            assert turn is not None
            send_twenty(pair, table, *turn)
        table.play()
    table.check()


def send_twenty(running: Running, table: Table, token: str, view: Json, action: Json) -> None:
    headers = {"Idempotency-Key": str(uuid.uuid4()), "If-Match": f'"{view["version"]}"'}
    with ThreadPoolExecutor(20) as pool:
        copies = [
            pool.submit(running.ask, "POST", f"{table.path}/actions", action, token, **headers)
            for _copy in range(20)
        ]
    first, *others = (copy.result() for copy in copies)
    assert first[0] == 200, first
    assert all(each == first for each in others)
    table.note(view, action)


def test_what_was_done_before_a_restart_is_answered_after_it() -> None:
    with tempfile.TemporaryDirectory(prefix="pp-") as folder:
        data, port = Path(folder), free_port()
        running = start(data, port)
        token = running.join("Ana")
        before = [ask_for(running, token, *each) for each in MADE]
        assert {status for status, _body in before} == {201}
        assert running.stop() == 0
        running = start(data, port)
        assert [ask_for(running, token, *each) for each in MADE] == before
        assert len(running.ask("GET", "/v1/tokens", token=token)[1]["items"]) == 2
        assert len(running.ask("GET", "/v1/webhooks", token=token)[1]["items"]) == 1
        assert running.stop() == 0


def ask_for(running: Running, token: str, path: str, body: Json) -> tuple[int, Json]:
    key = f"one and the same for {path}"
    return running.ask("POST", path, body, token, **{"Idempotency-Key": key})
