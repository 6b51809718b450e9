"""Fixtures of every test: real servers, emptied before each test that uses them."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from tests.servers import debian_redis, running_server, valkey

FAST = ("--appendonly", "no")


@pytest.fixture(scope="session")
def server_folder() -> Iterator[Path]:
    """A short temporary folder: unix socket paths have a limit."""
    with tempfile.TemporaryDirectory(prefix="pp-") as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def valkey_url(server_folder: Path) -> Iterator[str]:
    """The embedded Valkey, for all tests of a session."""
    with running_server(valkey(), server_folder / "v", *FAST) as url:
        yield url


@pytest.fixture(scope="session")
def debian_url(server_folder: Path) -> Iterator[str]:
    """Debian's redis-server, for all tests of a session."""
    with running_server(debian_redis(), server_folder / "d", *FAST) as url:
        yield url


@pytest.fixture
def redis_url(valkey_url: str) -> str:
    """The URL of an empty embedded Valkey."""
    with client_of(valkey_url) as client:
        client.flushall()
    return valkey_url


@pytest.fixture
def redis_client(redis_url: str) -> Iterator[Redis]:
    """A client of an empty embedded Valkey, without retries."""
    with client_of(redis_url) as client:
        yield client


def client_of(url: str) -> Redis:
    """A client that never sends a command twice."""
    return Redis.from_url(url, retry=Retry(NoBackoff(), 0))
