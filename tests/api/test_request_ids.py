"""The id of a request: the client's own if it is safe to log, else a new one; on every answer."""

import re

import pytest
from structlog.testing import capture_logs

from tests.api.conftest import Api

UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"


@pytest.mark.parametrize("sent", ["4bf92f3577b34da6", "a" * 64, "Root=1".replace("=", "-") * 3])
def test_a_clients_id_is_kept(api: Api, sent: str) -> None:
    answer = api.get("/healthz", headers={"X-Request-Id": sent})
    assert answer.headers["X-Request-Id"] == sent


@pytest.mark.parametrize(
    "sent", ["", "short", "a" * 65, "with a space in it", "pepper_" + "a" * 30, "ABCD-EFGH-JKMN"]
)
def test_an_id_that_could_be_anything_is_replaced(api: Api, sent: str) -> None:
    answer = api.get("/healthz", headers={"X-Request-Id": sent})
    assert re.fullmatch(UUID, answer.headers["X-Request-Id"])


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/v1/me", 401), ("GET", "/nowhere", 404), ("PUT", "/v1/me", 405)],
)
def test_a_refusal_has_an_id_too(api: Api, method: str, path: str, status: int) -> None:
    answer = api.ask(method, path)
    assert (answer.status_code, "X-Request-Id" in answer.headers) == (status, True)


def test_what_a_client_puts_into_an_address_is_not_logged(api: Api) -> None:
    with capture_logs() as lines:
        api.get("/v1/games/secret")
        api.get("/secret")
    shown = [(line["route"], line["status"]) for line in lines]
    assert shown == [("/v1/games/<game_id>", 404), ("none", 404)]
    assert "secret" not in str(lines)
