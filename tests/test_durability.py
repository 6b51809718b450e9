"""What the event server's configuration does not keep is said, and replicas are waited for."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from redis import Redis

from service.durability import NotReplicated, confirm, durability_problems, unchecked
from service.settings import Durability, Settings
from tests.e2e.running import eventually, free_port
from tests.servers import running_server, valkey

SAFE = ("--appendonly", "yes", "--appendfsync", "always")
SETTINGS = Settings(
    Path("/nowhere"),
    "127.0.0.1",
    1,
    "unix:///nowhere",
    "unix:///nowhere",
    embeds_events=False,
    embeds_queue=False,
    web_processes=1,
)
REPLICATED = replace(SETTINGS, durability=Durability.REPLICATED)
RELAXED = replace(SETTINGS, durability=Durability.RELAXED)


@pytest.fixture
def server(tmp_path: Path, server_folder: Path) -> Iterator[Redis]:
    """A server of its own that keeps what the default promises."""
    folder = server_folder / f"durable-{tmp_path.name[-20:]}"
    with running_server(valkey(), folder, *SAFE) as url, Redis.from_url(url) as client:
        yield client


@contextmanager
def replica(server: Redis, folder: Path) -> Iterator[Redis]:
    """A replica of a server, in step with it."""
    port = free_port()
    server.config_set("port", port)
    arguments = ("--replicaof", "127.0.0.1", str(port), "--repl-diskless-sync-delay", "0")
    with running_server(valkey(), folder, *arguments) as url, Redis.from_url(url) as client:
        server.config_set("repl-diskless-sync-delay", 0)
        eventually(lambda: int(server.wait(1, 100)) == 1, "a replica in step")
        yield client


def test_the_default_is_kept_by_a_server_that_syncs_always(server: Redis) -> None:
    assert durability_problems(server, SETTINGS) == []
    assert unchecked(server) == []


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("appendfsync", "everysec", "appendfsync always"),
        ("appendonly", "no", "appendonly no"),
        ("maxmemory-policy", "allkeys-lru", "noeviction"),
        ("maxmemory-policy", "volatile-ttl", "noeviction"),
        ("maxmemory", "1048576", "memory"),
    ],
)
def test_what_breaks_the_promise_is_named(
    server: Redis, setting: str, value: str, said: str
) -> None:
    server.config_set(setting, value)
    (problem,) = durability_problems(server, SETTINGS)
    assert said in problem


def test_relaxed_promises_no_file(server: Redis) -> None:
    server.config_set("appendonly", "no")
    assert durability_problems(server, RELAXED) == []
    server.config_set("maxmemory-policy", "allkeys-lru")
    assert len(durability_problems(server, RELAXED)) == 1


def test_replicated_needs_a_file_but_not_every_write_in_it_at_once(
    server: Redis, server_folder: Path
) -> None:
    server.config_set("appendfsync", "everysec")
    with replica(server, server_folder / "r1"):
        assert durability_problems(server, REPLICATED) == []
    server.config_set("appendonly", "no")
    assert len(durability_problems(server, REPLICATED)) == 2


def test_a_replica_takes_no_writes(server: Redis, server_folder: Path) -> None:
    with replica(server, server_folder / "r2") as copy:
        (problem,) = [each for each in durability_problems(copy, RELAXED) if "replica" in each]
    assert "nothing can be written" in problem


def test_a_server_that_does_not_tell_its_configuration_is_a_warning(server: Redis) -> None:
    server.execute_command("ACL", "SETUSER", "default", "-config")  # type: ignore[no-untyped-call]
    assert durability_problems(server, SETTINGS) == []
    assert len(unchecked(server)) == 1


def test_a_change_is_confirmed_when_a_replica_has_it(server: Redis, server_folder: Path) -> None:
    with pytest.raises(NotReplicated):
        confirm(server, REPLICATED)
    confirm(server, SETTINGS)
    with replica(server, server_folder / "r3") as copy:
        server.set("written before", 1)
        confirm(server, REPLICATED)
        assert copy.get("written before") == b"1"


def test_a_replica_that_stands_still_confirms_nothing(server: Redis, server_folder: Path) -> None:
    with replica(server, server_folder / "r4") as copy:
        process = int(copy.info("server")["process_id"])
        os.kill(process, signal.SIGSTOP)
        try:
            with pytest.raises(NotReplicated):
                confirm(server, REPLICATED)
        finally:
            os.kill(process, signal.SIGCONT)
        confirm(server, REPLICATED)
