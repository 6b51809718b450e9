"""The read models of an empty server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.projections.lobby import Lobby
from service.settings import Settings
from service.wiring import Services, services


@pytest.fixture
def parts(redis_url: str) -> Iterator[Services]:
    made = services(
        Settings(
            Path(),
            "127.0.0.1",
            1,
            redis_url,
            redis_url,
            embeds_events=False,
            embeds_queue=False,
            web_processes=1,
        )
    )
    yield made
    made.client.close()


@pytest.fixture
def lobby(parts: Services) -> Lobby:
    return parts.lobby
