"""The clients of a process: many at once wait for each other and are all served."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from service.settings import Settings
from service.wiring import CONNECTIONS, events_client


def test_more_commands_at_once_than_connections_are_all_answered(
    redis_url: str, tmp_path: Path
) -> None:
    settings = Settings(
        data=tmp_path,
        host="127.0.0.1",
        port=8000,
        redis_url=redis_url,
        queue_url=redis_url,
        embeds_events=False,
        embeds_queue=False,
        web_processes=1,
    )
    with events_client(settings) as client, ThreadPoolExecutor(4 * CONNECTIONS) as callers:
        before = client.info("clients")["connected_clients"]
        waited = callers.map(lambda _: client.blpop(["nothing"], 0.05), range(4 * CONNECTIONS))
        assert list(waited) == [None] * 4 * CONNECTIONS
        assert client.info("clients")["connected_clients"] - before < CONNECTIONS
