"""Builds what a process needs from its settings; the only place that makes clients."""

import time
from dataclasses import dataclass

from redis import BlockingConnectionPool, Redis
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import ResponseError
from redis.retry import Retry

from events.heartbeat import Heartbeat
from events.redis_store import RedisEventStore
from service.connections import quick
from service.live.bells import Bells
from service.live.hub import Hub
from service.live.places import Places
from service.live.presence import Presence
from service.metrics import STREAMS_OPEN, WAITS_OPEN
from service.players.accounts import Players
from service.players.server_secret import ServerSecret
from service.projections.inbox import Inbox
from service.projections.lobby import Lobby
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
    pool = BlockingConnectionPool.from_url(
        settings.redis_url,
        max_connections=CONNECTIONS,
        timeout=COMMAND_TIMEOUT,
        socket_timeout=COMMAND_TIMEOUT,
        retry=Retry(NoBackoff(), 0),
    )
    return Redis.from_pool(quick(pool))


def blocking_client(settings: Settings) -> Redis:
    """A client for reads that wait."""
    return Redis.from_url(
        settings.redis_url, socket_timeout=BLOCKING_TIMEOUT, retry=Retry(NoBackoff(), 0)
    )


def queue_client(settings: Settings) -> Redis:
    """A client of the queue's server."""
    return Redis.from_url(settings.queue_url)


def watching_client(settings: Settings) -> Redis:
    """A client that looks how the queue's server is, and soon says if it is not there."""
    return Redis.from_url(
        settings.queue_url,
        socket_timeout=LOOK_TIMEOUT,
        socket_connect_timeout=LOOK_TIMEOUT,
        retry=Retry(NoBackoff(), 0),
    )


def wait_for_server(client: Redis) -> None:
    """Until the server answers; exits with a message if it does not for long."""
    deadline = time.monotonic() + LONGEST_WAIT_FOR_SERVER
    while True:
        try:
            client.ping()
        except (Unreachable, ResponseError) as fault:
            if time.monotonic() > deadline:
                raise SystemExit(f"pepper: no server answers: {fault}") from fault
            time.sleep(0.05)
        else:
            return
