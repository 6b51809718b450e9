"""Connections to servers: pools that wait, and connections that the kernel is asked about."""

from typing import Any

from gevent.monkey import get_original
from redis import BlockingConnectionPool
from redis.connection import Connection, UnixDomainSocketConnection
from redis.sentinel import SentinelConnectionPool, SentinelManagedConnection

_poll, _READABLE = get_original("select", "poll"), 1


class _Quick:
    """redis-py asks before each command whether anything is there to read, which must not be.

    With gevent's poll that gives up the turn, and was half of what a command cost.
    """

    _sock: Any
    _parser: Any

    def can_read(self, timeout: float = 0) -> bool:
        """Whether bytes or the connection's end have come, within so many seconds."""
        if timeout or self._sock is None or self._parser._reader.has_data():
            return bool(super().can_read(timeout))  # type: ignore[misc]  # the connection's own
        asked = _poll()
        asked.register(self._sock.fileno(), _READABLE)
        return bool(asked.poll(0))


class _QuickTcp(_Quick, Connection):
    pass


class _QuickUnix(_Quick, UnixDomainSocketConnection):
    pass


class _QuickManaged(_Quick, SentinelManagedConnection):
    pass


_QUICK: dict[type, type] = {
    Connection: _QuickTcp,
    UnixDomainSocketConnection: _QuickUnix,
    SentinelManagedConnection: _QuickManaged,
}
"""Not those with TLS, which may hold bytes that the kernel has given away."""


def quick(pool: BlockingConnectionPool) -> BlockingConnectionPool:
    """The pool, whose connections are asked at once, where that can be done."""
    pool.connection_class = _QUICK.get(pool.connection_class, pool.connection_class)
    return pool


class QuickPool(BlockingConnectionPool):
    """A pool whose commands wait for each other, of connections that are asked at once."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)  # type: ignore[no-untyped-call]
        quick(self)


class QuickSentinelPool(SentinelConnectionPool, QuickPool):
    """The same for the server that Sentinels name."""
