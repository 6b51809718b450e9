"""What is answered while a change is not as safe as promised, and what is ready."""

from dataclasses import replace
from pathlib import Path

import pytest

from service.api.app import create_app
from service.settings import Durability
from service.wiring import Services, services
from tests.api.conftest import Api, CheckedClient
from tests.test_durability import replica


@pytest.fixture
def replicated(app_services: Services) -> Api:
    """The service where a replica must have what is acknowledged, and there is none."""
    settings = replace(app_services.settings, durability=Durability.REPLICATED)
    app = create_app(services(settings))
    app.test_client_class = CheckedClient
    client = app.test_client()
    assert isinstance(client, CheckedClient)
    return Api(client, app_services)


KEYS = {"Idempotency-Key": "0123456789012345678901234567"}


def test_a_change_that_no_replica_has_is_not_acknowledged(replicated: Api) -> None:
    answer = replicated.post("/v1/players", json={"name": "Ana"})
    assert (answer.status_code, answer.json["code"]) == (503, "not-replicated")
    assert (answer.json["retryable"], answer.headers["Retry-After"]) == (True, "1")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "pepper_" not in answer.text


def test_a_repeat_is_acknowledged_once_a_replica_has_it(
    api: Api, replicated: Api, app_services: Services, server_folder: Path
) -> None:
    token = api.new_player()[1]
    game = api.new_game(token, players=2, seats=[{"kind": "me"}, {"kind": "open"}])
    path, other = f"/v1/games/{game['id']}", api.new_player()[1]
    refused = replicated.post(f"{path}/seats", token=other, headers=KEYS)
    assert refused.json["code"] == "not-replicated"
    assert replicated.post(f"{path}/seats", token=other, headers=KEYS).status_code == 503
    with replica(app_services.client, server_folder / "r5"):
        repeated = replicated.post(f"{path}/seats", token=other, headers=KEYS)
    assert repeated.status_code == 200
    assert repeated.headers["Idempotent-Replayed"] == "true"
    types = [frame["event"]["type"] for frame in api.get(f"{path}/events").json["items"]]
    assert types.count("seat_taken") == 2


def test_reads_and_refusals_wait_for_nobody(replicated: Api) -> None:
    assert replicated.get("/v1/games").status_code == 200
    assert replicated.post("/v1/games", json={}).json["code"] == "token-missing"


def test_a_service_that_keeps_its_promise_is_ready(api: Api) -> None:
    answer = api.get("/readyz")
    assert (answer.status_code, answer.json["status"], answer.json["problems"]) == (
        200,
        "ready",
        [],
    )
    assert "nobody works at the queue: bots" in answer.json["warnings"]
    assert "nobody does the work of 16 of 16 shards: ticker" in answer.json["warnings"]


def test_one_that_does_not_says_why(app_services: Services) -> None:
    settings = replace(app_services.settings, durability=Durability.FSYNC)
    answer = create_app(services(settings)).test_client().get("/readyz")
    assert answer.status_code == 503
    assert "the event store has no append-only file (appendonly no)" in answer.text
