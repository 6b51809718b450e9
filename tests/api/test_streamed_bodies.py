"""Bodies whose length is not told beforehand (Transfer-Encoding: chunked) have the same limit."""

from typing import Any

import pytest

from service.api.app import LARGEST_BODY
from tests.api.conftest import CheckedClient

PLAYER = b'{"name": "Ana"}'


def send(client: CheckedClient, body: bytes) -> Any:
    """A body as gunicorn gives it to the app when it came in chunks."""
    return client.post(
        "/v1/players",
        data=body,
        headers={"Content-Type": "application/json", "Transfer-Encoding": "chunked"},
        environ_overrides={"wsgi.input_terminated": True},
    )


def test_a_body_in_chunks_is_read(client: CheckedClient) -> None:
    assert send(client, PLAYER).json["player"]["name"] == "Ana"


@pytest.mark.parametrize("padding", [LARGEST_BODY, 10 * LARGEST_BODY])
def test_a_body_in_chunks_is_not_cut_at_the_limit(client: CheckedClient, padding: int) -> None:
    answer = send(client, PLAYER + b" " * padding + b"and more")
    assert (answer.status_code, answer.json["code"]) == (413, "body-too-large")
