"""Bodies whose length is not told beforehand (Transfer-Encoding: chunked) have the same limit."""

import io
from typing import Any

import pytest
from gunicorn.http.errors import InvalidChunkSize

from service.api.app import LARGEST_BODY
from tests.api.conftest import CheckedClient, body_of

PLAYER = b'{"name": "Ana"}'


class BrokenChunks(io.BytesIO):
    """What gunicorn gives the app when a chunk's size is no number."""

    def readinto(self, _buffer: object, /) -> int:
        raise InvalidChunkSize(b"zz")


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


def test_chunks_that_cannot_be_read_are_the_client_s_fault(client: CheckedClient) -> None:
    answer = client.post(
        "/v1/players",
        input_stream=BrokenChunks(PLAYER),
        headers={"Content-Type": "application/json", "Transfer-Encoding": "chunked"},
        environ_overrides={"wsgi.input_terminated": True},
    )
    assert body_of(answer, 400)["code"] == "malformed-json"
