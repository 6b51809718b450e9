"""While every place for streams is taken, play goes on and who is too many is told at once."""

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from http.client import HTTPConnection, HTTPResponse

import pytest
from werkzeug.serving import make_server

from service.api.app import create_app
from service.live.places import Places
from service.wiring import Services
from tests.api.conftest import Api

LONGEST = 10.0


@pytest.fixture
def port(app_services: Services) -> Iterator[int]:
    """A served app with three places for streams, two for each token."""
    app = create_app(replace(app_services, stream_places=Places(3, 2)))
    server = make_server("127.0.0.1", 0, app, threaded=True)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    yield server.server_port
    server.shutdown()
    serving.join()
    server.server_close()


def asked(
    held: ExitStack, port: int, method: str, path: str, token: str = "", body: object = None
) -> HTTPResponse:
    connection = HTTPConnection("127.0.0.1", port, timeout=LONGEST)
    held.callback(connection.close)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    if body is not None:
        headers["Content-Type"] = "application/json"
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    return held.enter_context(connection.getresponse())


def test_play_goes_on_while_all_places_for_streams_are_taken(api: Api, port: int) -> None:
    _player, token = api.new_player()
    game = api.new_game(token, rules={"target_score": 2})
    path = f"/v1/games/{game['id']}"
    api.bots_play(game["id"])
    with ExitStack() as held:
        for holder in (token, token):
            assert asked(held, port, "GET", f"{path}/stream", holder).status == 200
        own = asked(held, port, "GET", f"{path}/stream", token)
        assert own.status == 429
        assert json.load(own)["code"] == "too-many-streams"
        assert asked(held, port, "GET", f"{path}/stream").status == 200
        full = asked(held, port, "GET", f"{path}/stream")
        assert full.status == 503
        assert json.load(full)["code"] == "streams-full"
        assert own.headers["Retry-After"] == full.headers["Retry-After"] == "1"
        assert asked(held, port, "GET", "/healthz").status == 200
        view = json.load(asked(held, port, "GET", path, token))
        action = view["you"]["legal_actions"][0]
        assert asked(held, port, "POST", f"{path}/actions", token, action).status == 200
