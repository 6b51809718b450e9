"""What an acknowledgement promises, and whether the event server's configuration keeps it."""

import shutil
from collections.abc import Mapping
from typing import Any, cast

from redis import Redis
from redis.exceptions import ResponseError

from service.cluster import key_at, servers
from service.settings import Durability, Settings

TOUCHED = "pepper:touched"
RESTORING = "pepper:{restoring}"
"""There while a store is being restored, and for ever if that is cut off."""

LONGEST_WAIT = 1000
"""Milliseconds for which an answer waits for replicas."""

FULL = 0.9
"""The share of its memory from which a server counts as full."""

LOW_DISK = 256 * 1024 * 1024
"""Free bytes under which the embedded server's disk counts as full."""


class NotReplicated(Exception):
    """Fewer replicas than promised have what was written; the argument is how many have."""


def confirm(client: Redis, settings: Settings) -> None:
    """Wait until the promised replicas have all that was written before; raises NotReplicated.

    WAIT covers the writes of its own connection alone. So it follows a write of no meaning on one
    connection: replicas that have that have everything before it, in whatever process it was
    written, and a repeated request, which writes nothing, is confirmed as its first copy would be.
    In a cluster any master may have written something.
    """
    if settings.durability is not Durability.REPLICATED:
        return
    for server in servers(client):
        with server.pipeline(transaction=False) as asked:
            asked.set(key_at(client, server, TOUCHED), 1)
            asked.wait(settings.replicas, LONGEST_WAIT)
            reached = int(asked.execute()[-1])
        if reached < settings.replicas:
            raise NotReplicated(reached)


def durability_problems(client: Redis, settings: Settings) -> list[str]:
    """Why the event server does not keep what is promised, or soon may not; raises RedisError."""
    found = [problem for server in servers(client) for problem in _problems(server, settings)]
    return [*_restore_problems(client), *dict.fromkeys(found), *_disk_problems(settings)]


def unchecked(client: Redis) -> list[str]:
    """What cannot be known of the event server, since it does not tell its configuration."""
    if any(_configured(server, "appendonly") is None for server in servers(client)):
        return ["the event store does not tell whether it keeps what is promised (CONFIG GET)"]
    return []


def _restore_problems(client: Redis) -> list[str]:
    if client.exists(RESTORING):
        return ["a restore is under way or was cut off: do it again (pepper restore --replace)"]
    return []


def _problems(server: Redis, settings: Settings) -> list[str]:
    told = cast(Mapping[str, Any], server.info())
    return [
        *_role_problems(told, settings),
        *_file_problems(server, told, settings.durability),
        *_memory_problems(server, told),
    ]


def _role_problems(told: Mapping[str, Any], settings: Settings) -> list[str]:
    if told.get("role") != "master":
        return ["the event store is a replica: nothing can be written"]
    connected = int(told.get("connected_slaves", 0))
    if settings.durability is Durability.REPLICATED and connected < settings.replicas:
        return [f"the event store has {connected} of {settings.replicas} replicas"]
    return []


def _file_problems(client: Redis, told: Mapping[str, Any], durability: Durability) -> list[str]:
    problems = []
    if told.get("aof_last_write_status", "ok") != "ok":
        problems.append("the event store cannot write its append-only file")
    if durability is Durability.RELAXED:
        return problems
    if _configured(client, "appendonly") == "no":
        problems.append("the event store has no append-only file (appendonly no)")
    elif durability is Durability.FSYNC and _configured(client, "appendfsync") not in (
        None,
        "always",
    ):
        problems.append("the event store acknowledges before its disk does (appendfsync always)")
    return problems


def _memory_problems(client: Redis, told: Mapping[str, Any]) -> list[str]:
    problems = []
    if _configured(client, "maxmemory-policy") not in (None, "noeviction"):
        problems.append("the event store may drop games (maxmemory-policy noeviction)")
    most = int(told.get("maxmemory", 0)) or int(told.get("total_system_memory", 0))
    if most and int(told.get("used_memory", 0)) > FULL * most:
        problems.append("the event store's memory is nearly full")
    return problems


def _disk_problems(settings: Settings) -> list[str]:
    if not settings.embeds_events or not settings.data.exists():
        return []
    free = shutil.disk_usage(settings.data).free
    return ["the disk of the event store is nearly full"] if free < LOW_DISK else []


def _configured(client: Redis, name: str) -> str | None:
    """A setting of the server, None if it does not tell."""
    try:
        return cast(dict[str, str], client.config_get(name)).get(name)
    except ResponseError:
        return None
