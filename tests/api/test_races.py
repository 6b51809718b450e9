"""Two requests at once through two processes' apps: one wins, the other is told what it lost to."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import pytest

from service.api.app import create_app
from service.wiring import Services, services
from tests.api.conftest import Api

GAMES = 30
OPEN = [{"kind": "me"}, {"kind": "open"}]


class Request(NamedTuple):
    """What one of the two sends."""

    method: str
    path: str
    token: str
    body: dict[str, Any] | None = None


class Racers:
    """Two apps, each with its own table and connections, over one store."""

    def __init__(self, parts: Services, pool: ThreadPoolExecutor) -> None:
        self._apps = [create_app(services(parts.settings)) for _process in range(2)]
        self._pool = pool
        for app in self._apps:
            assert app.test_client().get("/healthz").status_code == 200

    def race(self, one: Request, other: Request) -> tuple[Any, Any]:
        """Both answers' status and code."""
        first, second = self._pool.map(self._send, self._apps, (one, other))
        return first, second

    def _send(self, app: Any, asked: Request) -> tuple[int, str | None]:
        headers = {"Authorization": f"Bearer {asked.token}"}
        answer = app.test_client().open(
            asked.path, method=asked.method, headers=headers, json=asked.body
        )
        return answer.status_code, answer.json.get("code")


@pytest.fixture
def racers(app_services: Services) -> Iterator[Racers]:
    with ThreadPoolExecutor(2) as pool:
        yield Racers(app_services, pool)


def won_once(answers: tuple[Any, Any], *lost: str) -> None:
    """One 200, and one 409 with one of these codes."""
    winner, loser = sorted(answers)
    assert winner == (200, None)
    assert loser[0] == 409
    assert loser[1] in lost


def test_two_calls_of_one_seat_without_a_version(api: Api, racers: Racers) -> None:
    tokens = [api.new_player()[1] for _seat in range(2)]
    for _game in range(GAMES):
        path = f"/v1/games/{api.new_game(tokens[0], players=2, seats=OPEN)['id']}"
        view = api.post(f"{path}/seats", token=tokens[1]).json
        token = tokens[view["turn"]["seats"][0]]
        calls = [
            Request("POST", f"{path}/actions", token, body)
            for body in ({"type": "bid", "bid": 1}, {"type": "bid", "bid": 2})
        ]
        won_once(racers.race(calls[0], calls[1]), "not-your-turn")
        after = api.get(path).json
        assert after["version"] == view["version"] + 1
        assert len(after["round"]["auction"]) == 1


def test_the_first_call_and_an_abort(api: Api, racers: Racers) -> None:
    tokens = [api.new_player()[1] for _seat in range(2)]
    for _game in range(GAMES):
        path = f"/v1/games/{api.new_game(tokens[0], players=2, seats=OPEN)['id']}"
        view = api.post(f"{path}/seats", token=tokens[1]).json
        call = Request(
            "POST", f"{path}/actions", tokens[view["turn"]["seats"][0]], {"type": "bid", "bid": 1}
        )
        answers = racers.race(call, Request("POST", f"{path}/abort", tokens[0]))
        won_once(answers, "game-over", "too-late-to-abort")
        status = "in_progress" if answers[0][0] == 200 else "aborted"
        assert api.get(path).json["status"] == status


def test_a_guest_and_a_bot_for_one_seat(api: Api, racers: Racers) -> None:
    tokens = [api.new_player()[1] for _seat in range(2)]
    for _game in range(GAMES):
        path = f"/v1/games/{api.new_game(tokens[0], players=2, seats=OPEN)['id']}"
        sit = Request("POST", f"{path}/seats/1", tokens[1])
        seat_bot = Request("PUT", f"{path}/seats/1/bot", tokens[0], {"level": "club"})
        answers = racers.race(sit, seat_bot)
        won_once(answers, "seat-taken", "already-started", "no-open-seat")
        kind = api.get(path).json["seats"][1]["kind"]
        assert kind == ("human" if answers[0][0] == 200 else "bot")


def test_one_player_in_two_seats(api: Api, racers: Racers) -> None:
    tokens = [api.new_player()[1] for _seat in range(2)]
    seats = [*OPEN, {"kind": "open"}, {"kind": "open"}]
    for _game in range(GAMES):
        path = f"/v1/games/{api.new_game(tokens[0], players=4, seats=seats)['id']}"
        sits = [Request("POST", f"{path}/seats/{seat}", tokens[1]) for seat in (2, 3)]
        assert racers.race(sits[0], sits[1]) == ((200, None), (200, None))
        seated = [seat["player"] for seat in api.get(path).json["seats"] if seat["player"]]
        assert len(seated) == 2
