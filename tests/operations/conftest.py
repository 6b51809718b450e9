"""A process's parts over a real server."""

from pathlib import Path

import pytest

from service.settings import Settings
from service.wiring import Services, services


@pytest.fixture
def settings(redis_url: str) -> Settings:
    """One empty server for both the logs and the queue."""
    return Settings(
        Path("/nowhere"),
        "127.0.0.1",
        1,
        redis_url,
        redis_url,
        embeds_events=False,
        embeds_queue=False,
        web_processes=1,
    )


@pytest.fixture
def parts(settings: Settings) -> Services:
    """The parts of a process."""
    return services(settings)
