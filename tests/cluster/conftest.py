"""A cluster of three masters and three replicas, and parts of a process over it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from service.cluster import servers
from service.settings import Settings
from service.wiring import Services, events_client, services
from tools.cluster import Cluster, running_cluster


@pytest.fixture(scope="session")
def lasting_cluster(server_folder: Path) -> Iterator[Cluster]:
    """A cluster whose nodes all live, for all tests of a session."""
    with running_cluster(server_folder / "lasting") as cluster:
        yield cluster


@pytest.fixture
def short_lived_cluster(server_folder: Path, tmp_path: Path) -> Iterator[Cluster]:
    """A cluster of the test's own, which may lose nodes."""
    with running_cluster(server_folder / tmp_path.name) as cluster:
        yield cluster


@pytest.fixture
def cluster_client(lasting_cluster: Cluster) -> Iterator[Redis]:
    """A client of the lasting cluster, which is empty."""
    with events_client(settings_over(lasting_cluster)) as client:
        for server in servers(client):
            server.flushall()
        yield client


@pytest.fixture
def parts(cluster_client: Redis, lasting_cluster: Cluster) -> Iterator[Services]:
    """The parts of a process over the lasting cluster, which is empty."""
    made = services(settings_over(lasting_cluster))
    yield made
    made.dismiss()
    made.client.close()


def settings_over(cluster: Cluster) -> Settings:
    """The settings of a process over a cluster; its queue is not used."""
    return Settings(
        data=Path("/nowhere"),
        host="127.0.0.1",
        port=1,
        redis_url=cluster.url,
        queue_url=f"redis://127.0.0.1:{cluster.nodes[0].port}",
        embeds_events=False,
        embeds_queue=False,
        web_processes=1,
        rate_limits=True,
    )
