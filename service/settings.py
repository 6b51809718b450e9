"""What an operator may set: the environment, read once into one frozen value."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from environs import Env, EnvError
from marshmallow.validate import Range

from service.embedded import socket_path
from service.server_urls import UrlMalformed, server_url


class Durability(StrEnum):
    """What an acknowledged change survives: a crash, the loss of its machine, or neither."""

    FSYNC = "fsync"
    REPLICATED = "replicated"
    RELAXED = "relaxed"


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that differs between installations."""

    data: Path
    host: str
    port: int
    redis_url: str
    queue_url: str
    embeds_events: bool
    embeds_queue: bool
    web_processes: int
    webhooks_loopback: bool = False
    rate_limits: bool = True
    expires_days: int = 30
    pack_after: int = 3600
    durability: Durability = Durability.FSYNC
    replicas: int = 1


def settings_from_environment() -> Settings:
    """The settings of this process; raises environs.EnvError that names what is wrong."""
    env = Env()
    data = Path(env.str("PEPPER_DATA", ".pepper")).resolve()
    redis_url, queue_url = env.str("REDIS_URL", ""), env.str("QUEUE_URL", "")
    _check_urls(redis_url, queue_url)
    return Settings(
        data=data,
        host=env.str("PEPPER_HOST", "127.0.0.1"),
        port=env.int("PORT", 8000, validate=Range(1, 65535)),
        redis_url=redis_url or f"unix://{socket_path('events', data)}",
        queue_url=queue_url or f"unix://{socket_path('queue', data)}",
        embeds_events=not redis_url,
        embeds_queue=not queue_url,
        web_processes=env.int("WEB_CONCURRENCY", 1, validate=Range(1)),
        webhooks_loopback=env.bool("PEPPER_WEBHOOKS_LOOPBACK", False),
        rate_limits=env.bool("PEPPER_RATE_LIMITS", True),
        durability=env.enum("PEPPER_DURABILITY", Durability.FSYNC, enum=Durability, by_value=True),
        replicas=env.int("PEPPER_REPLICAS", 1, validate=Range(1)),
        expires_days=env.int("PEPPER_EXPIRES_DAYS", 30, validate=Range(1, 3650)),
        pack_after=env.int("PEPPER_PACK_AFTER", 3600, validate=Range(0)),
    )


def _check_urls(redis_url: str, queue_url: str) -> None:
    for name, text in (("REDIS_URL", redis_url), ("QUEUE_URL", queue_url)):
        try:
            is_cluster = bool(text) and server_url(text).kind == "cluster"
        except UrlMalformed as fault:
            raise EnvError(f"{name}: {fault}") from None
        if is_cluster and name == "QUEUE_URL":
            raise EnvError("QUEUE_URL: RQ works with one server, or one that Sentinels name")
