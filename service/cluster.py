"""A cluster's client that answers whatever we ask of a single server's (ADR 0013).

redis-py's `RedisCluster` leaves some of that out, answers some otherwise, and raises what is no
RedisError. What differs is made alike here, so that nothing else need know which it has.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any, cast

from redis import Redis, RedisCluster
from redis.client import PubSub
from redis.cluster import ClusterNode, ClusterPipeline
from redis.commands.core import Script
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import NoScriptError, RedisClusterException, RedisError
from redis.exceptions import TimeoutError as Late

from service.sharded_pubsub import ShardedPubSub

Callback = Callable[..., Any]
Streams = Mapping[str, str]


@contextmanager
def _faults_as_redis_errors() -> Iterator[None]:
    try:
        yield
    except RedisClusterException as fault:
        raise Unreachable(str(fault)) from fault


class ClusterClient(RedisCluster):
    """A cluster as one server. Its waiting `xread` is for one thread alone."""

    def __init__(self, **options: Any) -> None:
        self._callbacks: dict[str, Callback] = {}
        self._grown: ShardedPubSub | None = None
        self._heard: set[str] = set()
        with _faults_as_redis_errors():
            super().__init__(require_full_coverage=False, reinitialize_steps=1, **options)

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """One command; one that could go to any node goes elsewhere the next time it fails."""
        with _faults_as_redis_errors():
            try:
                return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]
            except (Unreachable, Late):
                self.replace_default_node()
                raise

    def pipeline(self, transaction: bool = True, shard_hint: None = None) -> "Pipeline":  # noqa: FBT001, FBT002  (as Redis has it)
        """A transaction, all in one slot; or without one, commands to any nodes at once."""
        return Pipeline(self._callbacks, self, transaction=transaction)

    def register_script(self, script: str) -> "ClusterScript":  # type: ignore[override]
        """A script that any node may be asked to run, whether it has heard of it or not."""
        return ClusterScript(cast(Redis, self), script)

    def set_response_callback(self, command: str, callback: Callback) -> None:
        """How a command's answers are read, in place of redis-py's own way."""
        self._callbacks[command] = callback

    def get_redis_connection(self, node: ClusterNode) -> Redis:
        """The client of a node, which reads answers as this one does."""
        return _with_callbacks(super().get_redis_connection(node), self._callbacks)

    def pubsub(self, **_options: Any) -> ShardedPubSub:  # type: ignore[override]
        """Sharded channels, wherever they lie now."""
        with _faults_as_redis_errors():
            self.nodes_manager.initialize()
        return ShardedPubSub(self.owner_of, self._pubsub_at)

    def owner_of(self, key: str) -> ClusterNode:
        """The node that takes writes of a key; raises RedisError."""
        with _faults_as_redis_errors():
            return cast(ClusterNode, self.get_node_from_key(key))  # type: ignore[no-untyped-call]

    def _pubsub_at(self, node: ClusterNode) -> PubSub:
        return self.get_redis_connection(node).pubsub()  # type: ignore[no-untyped-call,no-any-return]

    def xread(  # type: ignore[override]
        self, streams: Streams, count: int | None = None, block: int | None = None
    ) -> list[Any]:
        """What follows in each stream; waits up to `block` milliseconds for the first to grow.

        One command could name streams of one slot alone. So each is read by its own, and what
        ends the wait is a message on the channel of a stream's name, which the append sends.
        """
        if not block:
            return self._read(streams, count)
        try:
            grown = self._channels_of(streams)
            return self._read(streams, count) or self._read_after(grown, block, streams, count)
        except RedisError:
            self._forget_channels()
            raise

    def _read_after(
        self, grown: ShardedPubSub, block: int, streams: Streams, count: int | None
    ) -> list[Any]:
        grown.get_sharded_message(timeout=block / 1000)
        while grown.get_sharded_message() is not None:
            pass
        return self._read(streams, count)

    def _read(self, streams: Streams, count: int | None) -> list[Any]:
        limit = [] if count is None else ["COUNT", count]
        with self.pipeline(transaction=False) as asked:
            for key, after in streams.items():
                node = self.owner_of(key)
                asked.execute_command("XREAD", *limit, "STREAMS", key, after, target_nodes=node)
            return [stream for answer in asked.execute() for stream in answer or ()]

    def _channels_of(self, streams: Streams) -> ShardedPubSub:
        if self._grown is None or self._grown.is_elsewhere():
            self._forget_channels()
            self._grown = self.pubsub()
        for channel in {*streams} - self._heard:
            self._grown.ssubscribe(channel)
        for channel in self._heard - {*streams}:
            self._grown.sunsubscribe(channel)
        self._heard = {*streams}
        return self._grown

    def _forget_channels(self) -> None:
        if self._grown is not None:
            self._grown.close()
        self._grown, self._heard = None, set()


class Pipeline(ClusterPipeline):
    """A pipeline whose faults are RedisErrors, and whose answers are read as its client's."""

    def __init__(
        self, callbacks: Mapping[str, Callback], of: ClusterClient, *, transaction: bool
    ) -> None:
        self._callbacks, self._is_transaction = callbacks, transaction
        super().__init__(
            nodes_manager=of.nodes_manager,
            commands_parser=of.commands_parser,
            startup_nodes=of.startup_nodes,
            result_callbacks=of.result_callbacks,
            cluster_response_callbacks=of.cluster_response_callbacks,
            reinitialize_steps=of.reinitialize_steps,
            retry=of.retry,
            lock=threading.RLock(),
            transaction=transaction,
        )

    def get_redis_connection(self, node: ClusterNode) -> Redis:
        """The client of a node, which reads answers as the pipeline's client does."""
        return _with_callbacks(super().get_redis_connection(node), self._callbacks)

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Queue a command."""
        with _faults_as_redis_errors():
            return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]

    def execute(self, raise_on_error: bool = True) -> list[Any]:  # noqa: FBT001, FBT002  (redis-py's)
        """The answers of all commands; a transaction's too are read, which redis-py forgets."""
        commands = [*self._execution_strategy.command_queue]
        with _faults_as_redis_errors():
            answers = super().execute(raise_on_error)
        if not self._is_transaction:
            return answers
        return [
            self._read(command.args[0], command.options, answer)
            for command, answer in zip(commands, answers, strict=True)
        ]

    def _read(self, name: str, options: dict[str, Any], answer: Any) -> Any:
        node = self.get_redis_connection(self.get_default_node())  # type: ignore[no-untyped-call]
        read = node.response_callbacks.get(name)  # type: ignore[no-untyped-call]
        named = {key: value for key, value in options.items() if key != "keys"}
        return answer if read is None else read(answer, **named)


class ClusterScript(Script):
    """A script that is sent whole to a node that does not know it: a failover makes such nodes."""

    def __call__(
        self,
        keys: Sequence[Any] | None = None,
        args: Iterable[Any] | None = None,
        client: Any = None,
    ) -> Any:
        """Run it, or in a pipeline queue it."""
        keys_and_args = [*(keys or ()), *(args or ())]
        count = len(keys or ())
        client = client or self.registered_client
        if isinstance(client, Pipeline):
            return client.execute_command("EVAL", self.script, count, *keys_and_args)
        try:
            return client.evalsha(self.sha, count, *keys_and_args)
        except NoScriptError:
            return client.eval(self.script, count, *keys_and_args)


def _with_callbacks(node: Redis, callbacks: Mapping[str, Callback]) -> Redis:
    node.response_callbacks.update(callbacks)  # type: ignore[no-untyped-call]
    return node


def servers(client: Redis) -> list[Redis]:
    """A client of each server that takes writes: the one, or a cluster's masters."""
    cluster: object = client
    if not isinstance(cluster, ClusterClient):
        return [client]
    masters = cluster.get_primaries()  # type: ignore[no-untyped-call]
    return [cluster.get_redis_connection(node) for node in masters]


def key_at(client: Redis, server: Redis, name: str) -> str:
    """A key that lies with this server; the same again as long as its slots are the same."""
    cluster: object = client
    if not isinstance(cluster, ClusterClient):
        return name
    names = (f"{name}:{{{number}}}" for number in count())
    of_key = cluster.owner_of
    return next(key for key in names if cluster.get_redis_connection(of_key(key)) is server)
