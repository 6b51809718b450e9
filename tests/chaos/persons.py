"""Tables at which scripted persons and bots play game after game, and some fall silent.

When a run ends, its persons leave what they have not finished to bots, and look no more.
"""

import threading
import time
from collections.abc import Sequence
from random import Random

from tests.chaos.client import Book, Client, Json, Unanswered

SHORTEST_TURN = 5
"""Seconds of the clocks: the shortest that the API allows."""

TARGETS = (1, 3, 5)
LONGEST_LOOK = 2
"""Seconds that an answer may wait for the next event."""


class Table(threading.Thread):
    """One game after another until told to stop, then the last one to its end."""

    def __init__(self, number: int, urls: Sequence[str], book: Book, seed: str) -> None:
        super().__init__(name=f"table {number}")
        self.games: list[str] = []
        self._chance, self._book, self._urls = Random(f"{seed} {number}"), book, urls
        self._number, self.closing = number, threading.Event()
        self.start()

    def run(self) -> None:
        """Play until told to leave."""
        try:
            persons = [Client(self._urls, self._book, self._chance) for _seat in range(4)]
            for number, person in enumerate(persons):
                person.join(f"Person {self._number}.{number}")
            while not self.closing.is_set():
                self._game(persons)
        except Unanswered as fault:
            self._book.failures.append(f"no answer: {fault}")

    def _game(self, persons: Sequence[Client]) -> None:
        players = self._chance.choice((2, 3, 4))
        seated = self._chance.randint(0, players)
        kinds = ["me", *["open"] * (seated - 1)][:seated] + ["bot"] * (players - seated)
        body = {
            "players": players,
            "seats": [{"kind": kind} for kind in kinds],
            "rules": {"target_score": self._chance.choice(TARGETS)},
        }
        silent = seated > 1 and self._chance.random() < 0.4
        if silent:
            on_timeout = self._chance.choice(("bot_plays", "bot_takes_over"))
            body["clock"] = {"turn_seconds": SHORTEST_TURN, "on_timeout": on_timeout}
        view = persons[0].create(body)
        if view is None:
            self._book.failures.append("a new game was refused")
            return
        path = f"/v1/games/{view['id']}"
        self.games.append(path)
        for person in persons[1:seated]:
            status, _view = person.post(f"{path}/seats", {})
            if status >= 300:
                self._book.failures.append(f"{status} to a seat at {path}")
        seats = [Seat(person, path, self._book, self.closing) for person in persons[:seated]]
        if silent:
            seats[-1].falls_silent = True
        for seat in seats:
            seat.start()
        for seat in seats:
            seat.join()
        if not seats:
            self._look_on(path)

    def _look_on(self, path: str) -> None:
        """Watch a game of bots; a spectator's look moves nothing."""
        onlooker = Client(self._urls, self._book, self._chance)
        while onlooker.get(path)["status"] == "in_progress":
            if self.closing.wait(0.5):
                return


class Seat(threading.Thread):
    """A person's script: acts at their turns, waits between them."""

    falls_silent = False

    def __init__(self, person: Client, path: str, book: Book, leaving: threading.Event) -> None:
        super().__init__(name=path)
        self._person, self._path, self._book, self._leaving = person, path, book, leaving

    def run(self) -> None:
        """Play until the game is over."""
        try:
            self._play()
        except Unanswered as fault:
            self._book.failures.append(f"no answer: {fault}")

    def _play(self) -> None:
        turns = 0
        while True:
            view = self._person.get(self._path)
            if view["status"] != "in_progress":
                return
            if self._leaving.is_set():
                self._person.leave(f"{self._path}/seats/{view['you']['seat']}")
                return
            actions = (view["you"] or {}).get("legal_actions")
            if not actions:
                self._wait(view["version"])
                continue
            turns += 1
            if self.falls_silent and turns == 2:
                self._wait(view["version"], SHORTEST_TURN + 2)
                continue
            self._act(view, actions)

    def _act(self, view: Json, actions: Sequence[Json]) -> None:
        chance = self._person.chance
        time.sleep(chance.random() / 10)
        seen = view["version"] if chance.random() < 0.5 else None
        self._person.act(self._path, chance.choice(actions), seen)

    def _wait(self, version: int, seconds: int = LONGEST_LOOK) -> None:
        """Until something happens, or for so long."""
        self._person.get(f"{self._path}/events?after={version}&limit=1&wait={LONGEST_LOOK}")
        if seconds > LONGEST_LOOK:
            self._leaving.wait(seconds - LONGEST_LOOK)
