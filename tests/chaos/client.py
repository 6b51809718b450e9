"""A client as docs/clients.md says: the same request under the same key until it is answered."""

import json
import threading
import time
import urllib.request
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.client import HTTPException
from random import Random
from typing import Any
from urllib.error import HTTPError

Json = dict[str, Any]
TIMEOUT, FIRST_PAUSE, LONGEST_PAUSE = 3.0, 0.1, 1.0
LONGEST = 90.0
RETRYABLE = (429, 500, 502, 503)


class Unanswered(Exception):
    """No web process answered for long."""


@dataclass
class Asked:
    """One request that changes something, as its client knows it.

    `version` is the view's in the answer; times are of one monotonic clock. Without an answer
    `status` is None.
    """

    path: str
    player: str
    body: Json
    if_match: int | None
    sent: float
    status: int | None = None
    code: str | None = None
    version: int | None = None
    answered: float = 0.0
    attempts: int = 0
    game: str = ""

    @property
    def is_accepted(self) -> bool:
        """Whether the service has said that it is done."""
        return self.status is not None and self.status < 300


@dataclass
class Book:
    """What all clients asked, by game's path, and what should not have come back."""

    asked: dict[str, list[Asked]] = field(default_factory=dict)
    games: list[Asked] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    retries: int = 0


class Client:
    """One person's device; it asks any of the web processes."""

    def __init__(self, urls: Sequence[str], book: Book, chance: Random) -> None:
        self._urls, self._book, self.chance = urls, book, chance
        self.player, self._token = "", ""

    def join(self, name: str) -> None:
        """Become a player."""
        _status, body = self.post("/v1/players", {"name": name})
        self.player, self._token = str(body["player"]["id"]), str(body["token"])

    def get(self, path: str) -> Json:
        """What a path answers; raises Unanswered."""
        return self._until_answered("GET", path, None, {})[1]

    def post(self, path: str, body: Json) -> tuple[int, Json]:
        """The answer to a request under a key of its own."""
        return self._until_answered("POST", path, body, {"Idempotency-Key": str(uuid.uuid4())})

    def leave(self, path: str) -> None:
        """Leave a seat; done twice it is refused, which is as good."""
        self._until_answered("DELETE", path, None, {})

    def create(self, body: Json) -> Json | None:
        """A new game, written down in the book."""
        asked = Asked("/v1/games", self.player, body, None, time.monotonic())
        self._book.games.append(asked)
        return self._write_down(asked)

    def act(self, path: str, body: Json, if_match: int | None) -> Json | None:
        """Act in a game, written down in the book; None if it is refused."""
        asked = Asked(path, self.player, body, if_match, time.monotonic())
        self._book.asked.setdefault(path, []).append(asked)
        return self._write_down(asked)

    def _write_down(self, asked: Asked) -> Json | None:
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        path = asked.path
        if asked.path != "/v1/games":
            path = f"{asked.path}/actions"
        if asked.if_match is not None:
            headers["If-Match"] = f'"{asked.if_match}"'
        status, answer = self._until_answered("POST", path, asked.body, headers, asked)
        asked.answered, asked.status = time.monotonic(), status
        asked.code, asked.version = answer.get("code"), answer.get("version")
        if not asked.is_accepted:
            return None
        asked.game = f"/v1/games/{answer['id']}"
        return answer

    def _until_answered(
        self,
        method: str,
        path: str,
        body: Json | None,
        headers: Json,
        asked: Asked | None = None,
    ) -> tuple[int, Json]:
        pause, until = FIRST_PAUSE, time.monotonic() + LONGEST
        while time.monotonic() < until:
            if asked is not None:
                asked.attempts += 1
            is_twice = body is not None and self.chance.random() < 0.1
            try:
                if is_twice:
                    threading.Thread(
                        target=self._ask_and_forget, args=(method, path, body, dict(headers))
                    ).start()
                status, answer = self._ask(method, path, body, headers)
            except (OSError, HTTPException, ValueError):
                status, answer = 0, {}
            if status == 500:
                self._book.failures.append(f"500 to {method} {path}")
            if status and status not in RETRYABLE:
                return status, answer
            self._book.retries += 1
            # Sooner than docs/clients.md says, so that more is asked while something is broken.
            time.sleep(pause * (0.5 + self.chance.random() / 2))
            pause = min(2 * pause, LONGEST_PAUSE)
        raise Unanswered(path)

    def _ask_and_forget(self, method: str, path: str, body: Json, headers: Json) -> None:
        """The same request at the same time: a device that is impatient."""
        try:
            self._ask(method, path, body, headers)
        except (OSError, HTTPException, ValueError):
            return

    def _ask(self, method: str, path: str, body: Json | None, headers: Json) -> tuple[int, Json]:
        said = {**headers}
        if self._token:
            said["Authorization"] = f"Bearer {self._token}"
        if body is not None:
            said["Content-Type"] = "application/json"
        url = self._urls[int(time.monotonic_ns() // 1000) % len(self._urls)]
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url + path, data, said, method=method)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
                return answer.status, json.load(answer)
        except HTTPError as refused:
            return refused.code, json.load(refused)
