"""Builds what a process needs from its settings; the only place that makes clients."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from redis import Redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import ResponseError
from redis.maint_notifications import MaintNotificationsConfig
from redis.retry import Retry
from redis.sentinel import Sentinel, SentinelConnectionPool

from events.heartbeat import Heartbeat
from events.redis_store import RedisEventStore
from service.cluster import ClusterClient
from service.connections import QuickPool, QuickSentinelPool
from service.live.bells import Bells
from service.live.hub import Hub
from service.live.places import Places
from service.live.presence import Presence
from service.metrics import STREAMS_OPEN, WAITS_OPEN
from service.players.accounts import Players
from service.players.server_secret import ServerSecret
from service.projections.inbox import Inbox
from service.projections.lobby import Lobby
from service.server_urls import ServerUrl, server_url
from service.settings import Settings
from service.table import Table

COMMAND_TIMEOUT, BLOCKING_TIMEOUT, LOOK_TIMEOUT = 3.0, 30.0, 1.0
"""Seconds that a command may take, that a blocking read may, and that a look at the queue may."""

CONNECTIONS = 64
"""Commands that a process sends at once; more wait for each other, as long as one may take."""

STREAMS, STREAMS_EACH = 6000, 20
"""Streams that one process holds, and that one token may hold there."""

WAITS, WAITS_EACH = 1500, 10
"""Answers that one process keeps waiting, and that one token or address may."""

LONGEST_WAIT_FOR_SERVER = 30.0
_ADDRESS = ("host", "port", "connection_class")


@dataclass(frozen=True, slots=True)
class Services:
    """The parts of one process; each thread of a process has its own."""

    settings: Settings
    client: Redis
    store: RedisEventStore
    table: Table
    players: Players
    secret: ServerSecret
    lobby: Lobby
    inbox: Inbox
    heartbeat: Heartbeat
    hub: Hub
    presence: Presence
    bells: Bells
    stream_places: Places
    wait_places: Places
    queue: Redis

    def dismiss(self) -> None:
        """Send everyone away who listens or waits, now and from now on: the process ends."""
        self.hub.close()
        self.bells.close()


def services(settings: Settings) -> Services:
    """The parts of one process, over one pool of connections."""
    client = events_client(settings)
    store = RedisEventStore(client)
    table = Table(store)
    presence = Presence(client)
    hub = Hub(table, presence, blocking_client(settings))
    return Services(
        settings,
        client,
        store,
        table,
        Players(client),
        ServerSecret(client),
        Lobby(client),
        Inbox(client),
        Heartbeat(client),
        hub,
        presence,
        Bells(blocking_client(settings)),
        Places(STREAMS, STREAMS_EACH, STREAMS_OPEN),
        Places(WAITS, WAITS_EACH, WAITS_OPEN),
        watching_client(settings),
    )


def events_client(settings: Settings) -> Redis:
    """A client for logs: no retries of its own, since a write that is sent twice is done twice."""
    return _client(
        server_url(settings.redis_url),
        max_connections=CONNECTIONS,
        timeout=COMMAND_TIMEOUT,
        socket_timeout=COMMAND_TIMEOUT,
    )


def blocking_client(settings: Settings) -> Redis:
    """A client for reads that wait, and for pub/sub; each is for one thread, or one subscriber."""
    url = server_url(settings.redis_url)
    if url.kind == "cluster":  # there the client itself does the waiting
        return events_client(settings)
    return _client(url, max_connections=CONNECTIONS, socket_timeout=BLOCKING_TIMEOUT)


def queue_client(settings: Settings) -> Redis:
    """A client of the queue's server."""
    url = server_url(settings.queue_url)
    if url.kind == "sentinel":
        return _managed(url, SentinelConnectionPool, {})
    return Redis.from_url(settings.queue_url)


def watching_client(settings: Settings) -> Redis:
    """A client that looks how the queue's server is, and soon says if it is not there."""
    return _client(
        server_url(settings.queue_url),
        socket_timeout=LOOK_TIMEOUT,
        socket_connect_timeout=LOOK_TIMEOUT,
    )


def _client(url: ServerUrl, **options: Any) -> Redis:
    never = Retry(NoBackoff(), 0)
    if url.kind == "single":
        return Redis.from_pool(QuickPool.from_url(url.url, retry=never, **options))
    if url.kind == "cluster":
        return _cluster(url, never, options)
    return _managed(url, QuickSentinelPool, {**options, "retry": never})


def _cluster(url: ServerUrl, retry: Retry, options: dict[str, Any]) -> Redis:
    """Making it asks a node for the others, so it is waited for as in `wait_for_server`."""
    made: ClusterClient | None = None

    def make() -> None:
        nonlocal made
        made = ClusterClient(
            url=url.url,
            startup_nodes=[
                ClusterNode(*address)  # type: ignore[no-untyped-call]
                for address in url.addresses[1:]
            ],
            retry=retry,
            socket_connect_timeout=LOOK_TIMEOUT,
            connection_pool_class=QuickPool,
            maint_notifications_config=MaintNotificationsConfig(enabled=False),
            **options,
        )

    _until_it_answers(make)
    return cast(Redis, made)


def _managed(url: ServerUrl, pool: type[SentinelConnectionPool], options: dict[str, Any]) -> Redis:
    """A client of the server that Sentinels name, asked anew for each connection."""
    quickly: dict[str, Any] = {
        "retry": Retry(NoBackoff(), 0),
        "socket_timeout": LOOK_TIMEOUT,
        "socket_connect_timeout": LOOK_TIMEOUT,
        "ssl": url.is_encrypted,
    }
    sentinel = Sentinel(url.addresses, sentinel_kwargs={**quickly, **url.sentinel_options})  # type: ignore[no-untyped-call]
    given = {name: value for name, value in url.options.items() if name not in _ADDRESS}
    return Redis.from_pool(
        pool(
            url.service,
            sentinel,
            **{"socket_connect_timeout": LOOK_TIMEOUT, **options, **given},
            ssl=url.is_encrypted,
        )
    )


def wait_for_server(client: Redis) -> None:
    """Until the server answers; exits with a message if it does not for long."""
    _until_it_answers(client.ping)


def _until_it_answers(ask: Callable[[], object]) -> None:
    deadline = time.monotonic() + LONGEST_WAIT_FOR_SERVER
    while True:
        try:
            ask()
        except (Unreachable, ResponseError) as fault:
            if time.monotonic() > deadline:
                raise SystemExit(f"pepper: no server answers: {fault}") from fault
            time.sleep(0.05)
        else:
            return
