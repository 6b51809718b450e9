"""One running service for the end-to-end tests that do not break it."""

from collections.abc import Iterator

import pytest

from tests.e2e.running import Running, service


@pytest.fixture(scope="session")
def running() -> Iterator[Running]:
    """The whole service as processes."""
    with service() as started:
        yield started
