"""Sharded pub/sub over a cluster: a connection to each node that has channels, heard all at once.

redis-py's own asks the nodes one after another and waits at each, so that a message may lie for as
long as the wait. This one waits at all sockets together.
"""

import select
import threading
import time
from collections.abc import Callable
from typing import Any

from redis.client import PubSub
from redis.cluster import ClusterNode
from redis.exceptions import ConnectionError as Unreachable

OwnerOf = Callable[[str], ClusterNode]
Open = Callable[[ClusterNode], PubSub]


class ShardedPubSub:
    """What of redis-py's `PubSub` is about sharded channels.

    It follows nothing: if a node goes away, or gives a channel to another one, it raises, and is to
    be made anew. One thread may listen while others subscribe.
    """

    def __init__(self, owner_of: OwnerOf, open_pubsub: Open) -> None:
        self._owner_of, self._open = owner_of, open_pubsub
        self._nodes: dict[str, PubSub] = {}
        self._channels: dict[bytes, str] = {}
        self._lock = threading.Lock()

    def ssubscribe(self, *channels: str) -> None:
        """Hear these from now on; raises RedisError."""
        for channel in channels:
            node = self._owner_of(channel)
            with self._lock:
                if node.name not in self._nodes:
                    self._nodes[node.name] = self._open(node)
                self._channels[channel.encode()] = node.name
                self._nodes[node.name].ssubscribe(channel)

    def sunsubscribe(self, *channels: str) -> None:
        """Hear these no more, or nothing at all."""
        with self._lock:
            for channel in [each.encode() for each in channels] or [*self._channels]:
                node = self._channels.pop(channel, None)
                if node is not None:
                    self._nodes[node].sunsubscribe(channel.decode())  # type: ignore[no-untyped-call]

    def get_sharded_message(self, timeout: float = 0.0) -> dict[str, Any] | None:
        """The next message of any node; None if none comes within so many seconds."""
        deadline = time.monotonic() + timeout
        while True:
            with self._lock:
                nodes = [*self._nodes.values()]
            for pubsub in nodes:
                message = pubsub.get_message(timeout=0)
                if message is not None:
                    return self._checked(message)
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            _wait_for_any(nodes, left)

    def _checked(self, message: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            if message["type"] == "sunsubscribe" and message["channel"] in self._channels:
                raise Unreachable("a channel has gone to another node")
        return message

    def is_elsewhere(self) -> bool:
        """Whether a channel is known to lie with another node than the one that is heard."""
        with self._lock:
            channels = [*self._channels.items()]
        return any(self._owner_of(channel.decode()).name != node for channel, node in channels)

    def close(self) -> None:
        """Give the connections back."""
        with self._lock:
            for pubsub in self._nodes.values():
                pubsub.close()
            self._nodes, self._channels = {}, {}


def _wait_for_any(nodes: list[PubSub], seconds: float) -> None:
    asked = select.poll()
    for pubsub in nodes:
        connection: Any = pubsub.connection
        if connection is None or connection._sock is None:
            return
        asked.register(connection._sock.fileno(), select.POLLIN)
    asked.poll(seconds * 1000)
