"""A server that Sentinels name: for the logs and for the queue, before and after a failover."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

import pytest
from redis.exceptions import RedisError

from service.cluster import servers
from service.settings import Settings
from service.wiring import Services, queue_client, services, watching_client
from service.workers.jobs import bot_queue, enqueue_bot_turn, queued_turns
from tests.e2e.running import eventually
from tests.workers.tables import act_for_host, found, is_finished, waiting_for_host
from tests.workers.test_processes import running
from tools.cluster import Node, free_ports, running_node

SERVER = {"appendonly": "yes", "save": '""', "bind": "127.0.0.1", "repl-diskless-sync-delay": 0}


class Watched(NamedTuple):
    """A master and its replica, and what to ask to find whichever is the master."""

    master: Node
    replica: Node
    url: str


@pytest.fixture
def watched(server_folder: Path, tmp_path: Path) -> Iterator[Watched]:
    folder, ports = server_folder / tmp_path.name, free_ports(3)
    sentinel = {
        "sentinel monitor": f"events 127.0.0.1 {ports[0]} 1",
        "sentinel down-after-milliseconds": "events 500",
        "sentinel failover-timeout": "events 3000",
        "bind": "127.0.0.1",
    }
    with (
        running_node(folder, ports[0], SERVER) as master,
        running_node(folder, ports[1], {**SERVER, "replicaof": f"127.0.0.1 {ports[0]}"}) as replica,
        running_node(folder, ports[2], sentinel, "--sentinel") as asked,
    ):
        eventually(lambda: asked.ask("SENTINEL", "REPLICAS", "events"), "the replica is known")
        yield Watched(master, replica, f"redis+sentinel://127.0.0.1:{ports[2]}/events")


@pytest.fixture
def parts(watched: Watched) -> Iterator[Services]:
    made = services(
        Settings(
            data=Path("/nowhere"),
            host="127.0.0.1",
            port=1,
            redis_url=watched.url,
            queue_url=watched.url,
            embeds_events=False,
            embeds_queue=False,
            web_processes=1,
        )
    )
    yield made
    made.dismiss()
    made.client.close()


def succeeds(ask: Callable[[], object]) -> bool:
    with suppress(RedisError):
        ask()
        return True
    return False


def test_games_and_jobs_go_on_after_a_failover(watched: Watched, parts: Services) -> None:
    position = waiting_for_host(parts.table)
    assert [server.info("server")["tcp_port"] for server in servers(parts.client)] == [
        watched.master.port
    ]
    queue = bot_queue(queue_client(parts.settings))
    enqueue_bot_turn(queue, position.id, 99)
    eventually(lambda: watched.replica.client.dbsize() == watched.master.client.dbsize(), "copies")
    watched.master.kill()
    eventually(lambda: watched.replica.is_master, "the replica's promotion")
    eventually(lambda: succeeds(lambda: act_for_host(parts.table, position)), "an action")
    assert len(parts.table.log(position.id)) == position.version + 1
    assert len(queued_turns(queue)) == 1
    assert watching_client(parts.settings).ping()
    with ExitStack() as processes:
        for command in ("follow", "tick", "work"):
            processes.enter_context(running(command, parts))
        game = found(parts.table, "bot", "bot").id
        eventually(lambda: is_finished(parts.table, game), "the bots' game's end")
