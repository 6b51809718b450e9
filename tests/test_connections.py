"""Connections out of the pool are fit for a command, whatever has become of them there."""

from collections.abc import Iterator

import pytest
from redis import BlockingConnectionPool, Redis

from service.connections import quick


@pytest.fixture
def pool(redis_url: str) -> Iterator[BlockingConnectionPool]:
    made = quick(BlockingConnectionPool.from_url(redis_url, max_connections=1, timeout=1))
    yield made
    made.disconnect()


def test_one_that_the_server_has_closed_is_made_anew(
    pool: BlockingConnectionPool, redis_client: Redis
) -> None:
    client = Redis(connection_pool=pool)
    number = client.client_id()
    redis_client.client_kill_filter(_id=str(number))
    assert client.echo("heard") == b"heard"
    assert client.client_id() != number


@pytest.mark.parametrize("read", [0, 1])
def test_an_answer_that_nobody_took_is_given_to_nobody(
    pool: BlockingConnectionPool, read: int
) -> None:
    connection = pool.get_connection()  # type: ignore[no-untyped-call]  # redis's
    connection.send_packed_command(connection.pack_commands([("ECHO", "one"), ("ECHO", "two")]))
    while not connection.can_read(1):
        pass
    answers = [connection.read_response() for _ in range(read)]
    pool.release(connection)  # type: ignore[no-untyped-call]  # redis's
    assert answers == [b"one"][:read]
    assert Redis(connection_pool=pool).echo("mine") == b"mine"


def test_a_quiet_one_is_used_again(pool: BlockingConnectionPool) -> None:
    client = Redis(connection_pool=pool)
    assert client.client_id() == client.client_id()
    (connection,) = pool._connections
    assert type(connection).__module__ == quick.__module__
