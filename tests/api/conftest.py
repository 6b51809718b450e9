"""Fixtures of the API tests: the app over a real server, every exchange held to openapi.yaml."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.feed import Feed
from events.vocabulary import GameId
from service.api.app import create_app
from service.settings import Durability, Settings
from service.wiring import Services, services
from service.workers.bot_turn import take_bot_turns
from service.workers.inbox_notices import InboxKeeper
from tests.api.spec import check_exchange

LONGEST_BOT_TURNS = 60.0


class CheckedClient(FlaskClient):
    """A test client that fails on any answer that openapi.yaml does not describe."""

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        answer = super().open(*args, **kwargs)
        asked = answer.request
        check_exchange(
            asked.method,
            asked.path,
            asked.args.to_dict(),
            answer.status_code,
            dict(asked.headers),
            kwargs.get("json", kwargs.get("data")),
            dict(answer.headers),
            answer.get_data(),
        )
        return answer


def body_of(answer: TestResponse, status: int = 200) -> dict[str, Any]:
    """The JSON object of an answer that has this status."""
    assert answer.status_code == status, answer.json
    assert isinstance(answer.json, dict)
    return answer.json


class Api:
    """Requests as players make them; each method gives Flask's test response."""

    def __init__(self, client: CheckedClient, parts: Services) -> None:
        self._client, self._parts = client, parts
        self._inbox = InboxKeeper(parts)

    def get(self, path: str, **kwargs: Any) -> Any:
        return self.ask("GET", path, **kwargs)

    def post(self, path: str, **kwargs: Any) -> Any:
        return self.ask("POST", path, **kwargs)

    def put(self, path: str, **kwargs: Any) -> Any:
        return self.ask("PUT", path, **kwargs)

    def patch(self, path: str, **kwargs: Any) -> Any:
        return self.ask("PATCH", path, **kwargs)

    def delete(self, path: str, **kwargs: Any) -> Any:
        return self.ask("DELETE", path, **kwargs)

    def ask(
        self,
        method: str,
        path: str,
        *,
        token: str | None = None,
        headers: dict[str, str] | None = None,
        **kwargs: Any,
    ) -> Any:
        """One request; `json` is the body, `data` a raw one. Gives Flask's test response."""
        sent = {**({"Authorization": f"Bearer {token}"} if token else {}), **(headers or {})}
        return self._client.open(path, method=method, headers=sent, **kwargs)

    def new_player(self, name: str | None = None, *, bot: bool = False) -> tuple[str, str]:
        """A new player: their id and their token."""
        body = {"bot": bot} if name is None else {"name": name, "bot": bot}
        answer = self.post("/v1/players", json=body)
        made = body_of(answer, 201)
        return made["player"]["id"], made["token"]

    def new_game(self, token: str, **body: Any) -> dict[str, Any]:
        """A new game, `{"players": 4}` unless told otherwise: its view."""
        return body_of(self.post("/v1/games", json={"players": 4, **body}, token=token), 201)

    def bots_play(self, game: str) -> None:
        """Let the bots of a game act until a person must, as the worker would."""
        version = self._parts.table.look(GameId(game)).version
        take_bot_turns(self._parts.table, GameId(game), version, LONGEST_BOT_TURNS)

    def lobby_notices(self, *games: str) -> None:
        """Bring the lists up to date with these games, as the follower would."""
        for game in games:
            self._parts.lobby.record(self._parts.table.look(GameId(game)))

    def inbox_notices(self) -> None:
        """Bring the players' inboxes up to date with all games, as the follower would."""
        feed = Feed(self._parts.client, self._parts.client, "inbox", "a test")
        while entries := feed.take(0):
            self._inbox.keep(entries)
            feed.done(entries)
        feed.release()


@pytest.fixture
def app_services(redis_url: str, tmp_path: Path) -> Services:
    """The parts of a web process over an empty real server."""
    return services(
        Settings(
            data=tmp_path,
            host="127.0.0.1",
            port=8000,
            redis_url=redis_url,
            queue_url=redis_url,
            embeds_events=False,
            embeds_queue=False,
            web_processes=1,
            rate_limits=False,
            durability=Durability.RELAXED,  # the tests' server writes no file
        )
    )


@pytest.fixture
def client(app_services: Services) -> Iterator[CheckedClient]:
    """The app's test client, each exchange checked."""
    app = create_app(app_services)
    app.test_client_class = CheckedClient
    with app.test_client() as checked:
        assert isinstance(checked, CheckedClient)
        yield checked
    app_services.dismiss()
    app_services.client.close()


@pytest.fixture
def api(client: CheckedClient, app_services: Services) -> Api:
    """The service as players reach it."""
    return Api(client, app_services)


@pytest.fixture
def elsewhere(client: CheckedClient, app_services: Services) -> Api:
    """The same service as another thread asks it."""
    other = client.application.test_client()
    assert isinstance(other, CheckedClient)
    return Api(other, app_services)


@contextmanager
def meanwhile(do: Callable[[], Any]) -> Any:
    """Something that happens while the body waits."""

    def later() -> None:
        time.sleep(0.3)
        do()

    other = threading.Thread(target=later)
    other.start()
    try:
        yield
    finally:
        other.join()
