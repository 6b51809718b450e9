"""While the store is away every answer says so, and none of them takes long or fails oddly."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from service.api.app import create_app
from service.wiring import Services, services
from tests.api.conftest import Api, CheckedClient


@pytest.fixture
def cut_off(app_services: Services, tmp_path: Path) -> Iterator[Api]:
    """The service where no store answers."""
    elsewhere = f"unix://{tmp_path}/nowhere"
    parts = services(replace(app_services.settings, redis_url=elsewhere))
    app = create_app(parts)
    app.test_client_class = CheckedClient
    with app.test_client() as client:
        assert isinstance(client, CheckedClient)
        yield Api(client, parts)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/players"),
        ("GET", "/v1/games"),
        ("GET", "/v1/games/g_0nosuchgame"),
        ("GET", "/v1/games/g_0nosuchgame/replay"),
        ("GET", "/g/g_0nosuchgame"),
    ],
)
def test_a_request_is_told_to_come_back(cut_off: Api, method: str, path: str) -> None:
    answer = cut_off.ask(method, path)
    assert (answer.status_code, answer.json["code"]) == (503, "store-unavailable")
    assert (answer.json["retryable"], answer.headers["Retry-After"]) == (True, "1")


def test_a_token_that_cannot_be_looked_up_is_not_a_bad_one(cut_off: Api) -> None:
    assert cut_off.get("/v1/me", token="pepper_unknown").status_code == 503


def test_it_is_alive_but_not_ready(cut_off: Api) -> None:
    assert cut_off.get("/healthz").json == {"status": "ok"}
    answer = cut_off.get("/readyz")
    assert (answer.status_code, answer.json["problems"]) == (
        503,
        ["the event store does not answer"],
    )


def test_what_needs_no_store_is_served(cut_off: Api) -> None:
    for path in ("/docs", "/openapi.yaml", "/v1/rules", "/v1/bots", "/problems/game-over"):
        assert cut_off.get(path).status_code == 200
