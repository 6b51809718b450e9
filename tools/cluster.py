"""A cluster of three masters and three replicas on this machine, of the embedded server's program.

`python -m tools.cluster` runs one until it is interrupted and prints the URL for `REDIS_URL`.
"""

import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from redis import Redis
from redis.backoff import NoBackoff
from redis.crc import key_slot
from redis.exceptions import RedisError
from redis.retry import Retry

from service.embedded import binary, die_with_parent

MASTERS = 3
SLOTS = 16384
NODE_TIMEOUT = 1500
"""Milliseconds after which a silent node is suspected; a failover takes about a second more."""

LONGEST = 30.0
_OPTIONS = {
    "cluster-enabled": "yes",
    "cluster-node-timeout": NODE_TIMEOUT,
    "cluster-require-full-coverage": "no",
    "cluster-replica-validity-factor": 0,
    "repl-diskless-sync-delay": 0,
    "appendonly": "yes",
    "appendfsync": "always",
    "maxmemory-policy": "noeviction",
    "save": '""',
    "bind": "127.0.0.1",
    "loglevel": "warning",
}


@dataclass
class Node:
    """One server, of a folder of its own that outlives it."""

    port: int
    command: Sequence[str]
    client: Redis
    process: subprocess.Popen[bytes] = field(init=False)

    def start(self) -> None:
        """Run it, and wait until it answers."""
        self.process = subprocess.Popen(
            self.command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            preexec_fn=die_with_parent,
        )
        _until(self.client.ping, f"server {self.port}")

    def kill(self) -> None:
        """SIGKILL; gone when this returns."""
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()

    def ask(self, *command: Any) -> Any:
        """The server's answer to a command."""
        return self.client.execute_command(*command)  # type: ignore[no-untyped-call]

    @property
    def is_master(self) -> bool:
        """Whether it takes writes."""
        return cast(str, self.client.info("replication")["role"]) == "master"


@dataclass
class Cluster:
    """A running cluster: first the masters, then a replica of each in the same order."""

    nodes: Sequence[Node]

    @property
    def url(self) -> str:
        """What REDIS_URL is to be."""
        addresses = ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)
        return f"redis+cluster://{addresses}"

    def pair_of(self, key: str) -> tuple[Node, Node]:
        """The first master of a key, and its replica."""
        number = key_slot(key.encode()) * MASTERS // SLOTS
        return self.nodes[number], self.nodes[MASTERS + number]


@contextmanager
def running_cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster in a folder, until the block ends."""
    with ExitStack() as stopped:
        nodes = [
            stopped.enter_context(running_node(folder, port, _OPTIONS))
            for port in free_ports(2 * MASTERS)
        ]
        _join(nodes)
        yield Cluster(nodes)


@contextmanager
def running_node(
    folder: Path, port: int, options: dict[str, Any], *arguments: str
) -> Iterator[Node]:
    """A server of its own folder, until the block ends, or this process does."""
    home = folder / str(port)
    home.mkdir(parents=True)
    lines = [f"{name} {value}" for name, value in {**options, "port": port}.items()]
    (home / "server.conf").write_text("\n".join([*lines, f'dir "{home}"', ""]))
    client = Redis(port=port, retry=Retry(NoBackoff(), 0), socket_timeout=5)
    node = Node(port, [binary(), str(home / "server.conf"), *arguments], client)
    try:
        node.start()
        yield node
    finally:
        node.kill()
        client.close()


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on now, nor on those 10,000 above, where nodes hear each other."""
    with ExitStack() as held:
        ports: list[int] = []
        while len(ports) < count:
            probe, bus = held.enter_context(socket.socket()), held.enter_context(socket.socket())
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1] % 20000 + 20000
            try:
                bus.bind(("127.0.0.1", port + 10000))
                held.enter_context(socket.socket()).bind(("127.0.0.1", port))
            except OSError:
                continue
            ports.append(port)
        return ports


def _join(nodes: Sequence[Node]) -> None:
    masters, replicas = nodes[:MASTERS], nodes[MASTERS:]
    bounds = [number * SLOTS // MASTERS for number in range(MASTERS + 1)]
    for number, master in enumerate(masters):
        master.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        master.ask("CLUSTER", "ADDSLOTSRANGE", bounds[number], bounds[number + 1] - 1)
    for node in nodes[1:]:
        nodes[0].ask("CLUSTER", "MEET", "127.0.0.1", node.port)
    _until(lambda: all(_known(node) == len(nodes) for node in nodes), "all nodes know each other")
    for master, replica in zip(masters, replicas, strict=True):
        replica.ask("CLUSTER", "REPLICATE", master.client.cluster("myid"))
    _until(lambda: all(_is_ready(node) for node in nodes), "all slots served, all replicas in step")


def _known(node: Node) -> int:
    return int(node.client.cluster("info")["cluster_known_nodes"])


def _is_ready(node: Node) -> bool:
    told = node.client.info("replication")
    in_step = told.get("master_link_status", "up") == "up" and (
        told["role"] == "slave" or told["connected_slaves"] == 1
    )
    return bool(in_step and node.client.cluster("info")["cluster_state"] == "ok")


def _until(is_so: Callable[[], Any], what: str) -> None:
    deadline = time.monotonic() + LONGEST
    while True:
        try:
            if is_so():
                return
        except RedisError:
            pass
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.05)


def main() -> None:
    """Run a cluster until SIGINT or SIGTERM."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="pc-") as folder, running_cluster(Path(folder)) as made:
        for node in made.nodes:
            print(f"{node.port}: {'master' if node.is_master else 'replica'}, {node.process.pid}")
        print(f"\n  REDIS_URL={made.url} make run\n", flush=True)
        try:
            signal.pause()
        except KeyboardInterrupt:
            print("stopped")


if __name__ == "__main__":
    main()
