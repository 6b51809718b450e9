"""`pepper doctor`: what is wrong with an installation, and what to do about it, in a terminal."""

import shutil
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

from redis.exceptions import RedisError
from rich.console import Console
from rich.markup import escape

from events.vocabulary import SHARDS
from service.cluster import servers
from service.durability import durability_problems, unchecked
from service.operations.locks import holder_of
from service.players.erasure import ERASING
from service.vitals import FOLLOWERS, vitals
from service.webhooks.queues import DUE as DELIVERIES
from service.wiring import Services

OLDEST = (7, 0)
"""The first version of Redis that has all the commands that are used."""

LONGEST_WAIT = 10_000
"""Milliseconds after which a game that is due counts as stuck: three looks of a ticker."""

LONGEST_OVERDUE = 120_000
"""Milliseconds after which an erasure or delivery that is due counts as left behind."""

LARGEST_SKEW = 2_000
"""Milliseconds that this machine's clock may differ without anybody being told."""

START = "start what the Procfile names, or `pepper serve`"


class State(StrEnum):
    """How something is: `bad` where the service suffers now, `look` where it may soon."""

    WELL = "ok"
    ODD = "look"
    BAD = "bad"


_COLOURS = {State.WELL: "green", State.ODD: "yellow", State.BAD: "red"}


class Finding(NamedTuple):
    """One look at something, and what to do about it."""

    state: State
    said: str
    advice: str = ""


def doctor(parts: Services) -> bool:
    """Say how everything is; whether nothing is bad."""
    console, is_well = Console(soft_wrap=True, highlight=False), True
    for finding in findings(parts):
        colour = _COLOURS[finding.state]
        console.print(f"[{colour}]{finding.state:<4}[/]  {escape(finding.said)}")
        if finding.advice:
            console.print(f"      → {escape(finding.advice)}")
        is_well = is_well and finding.state is not State.BAD
    return is_well


def findings(parts: Services) -> Iterator[Finding]:
    """Everything that is looked at, the servers first; without the event server little is."""
    yield from _folder(parts)
    yield from _queue_server(parts)
    events = [*_event_server(parts)]
    yield from events
    if events[0].state is State.BAD:
        return
    for look in (_promise, _processes, _clock, _waiting):
        yield from look(parts)


def _folder(parts: Services) -> Iterator[Finding]:
    settings = parts.settings
    if not settings.embeds_events:
        return
    serve = holder_of(settings.data / "serve.lock")
    if serve is None:
        yield Finding(State.ODD, f"no `pepper serve` uses {settings.data}", START)
    else:
        yield Finding(State.WELL, f"`pepper serve` uses {settings.data}, process {serve}")
    if settings.data.exists():
        free = shutil.disk_usage(settings.data).free
        yield Finding(State.WELL, f"{free / 2**30:.1f} GiB are free on its disk")


def _queue_server(parts: Services) -> Iterator[Finding]:
    where = _without_password(parts.settings.queue_url)
    try:
        version = _version(cast(Mapping[str, Any], parts.queue.info("server")))
        yield Finding(State.WELL, f"the job server answers: {version} at {where}")
    except RedisError as fault:
        told = f"the job server does not answer at {where}: {type(fault).__name__}; bots wait"
        yield Finding(State.BAD, told, "start it, or set QUEUE_URL; it may be empty")


def _event_server(parts: Services) -> Iterator[Finding]:
    where = _without_password(parts.settings.redis_url)
    try:
        told = [cast(Mapping[str, Any], server.info()) for server in servers(parts.client)]
    except RedisError as fault:
        told_why = f"the event server does not answer at {where}: {type(fault).__name__}"
        yield Finding(State.BAD, told_why, "start it, or set REDIS_URL; nothing can be played")
        return
    answer = "answers" if len(told) == 1 else f"answers, {len(told)} masters"
    yield Finding(State.WELL, f"the event server {answer}: {_version(told[0])} at {where}")
    memory, keys = sum(int(each["used_memory"]) for each in told), sum(map(_keys, told))
    yield Finding(State.WELL, f"it uses {memory / 2**20:.0f} MiB for {keys} keys")
    for version in {str(each["redis_version"]) for each in told}:
        if tuple(int(part) for part in version.split(".")[:2]) < OLDEST:
            yield Finding(State.BAD, f"it is as old as Redis {version}", "run 7.0 or newer")


def _keys(told: Mapping[str, Any]) -> int:
    return int(told.get("db0", {}).get("keys", 0))


def _promise(parts: Services) -> Iterator[Finding]:
    promise = parts.settings.durability.value
    problems = durability_problems(parts.client, parts.settings)
    advice = 'docs/operations.md, "Durability", says what the event server needs'
    yield from (Finding(State.BAD, problem, advice) for problem in problems)
    yield from (Finding(State.ODD, each, advice) for each in unchecked(parts.client))
    if not problems:
        yield Finding(State.WELL, f"it keeps what PEPPER_DURABILITY={promise} promises")


_ADVICE = {
    "shards: ticker": "start `pepper tick`, or look into its log",
    "shards:": "start `pepper follow`, or look into its log",
    "behind": "`pepper follow` is slow or fails: look into its log; more of them share the shards",
    "queue: bots": "start `pepper work`",
    "queue: webhooks": "start `pepper deliver`",
}


def _processes(parts: Services) -> Iterator[Finding]:
    now = vitals(parts)
    for warning in now.warnings():
        advice = next((said for part, said in _ADVICE.items() if part in warning), START)
        yield Finding(State.BAD, warning, advice)
    behind = (now.followers or {}).items()
    lags = ", ".join(f"{name} {state.lag_ms} ms" for name, state in behind if name in FOLLOWERS)
    yield Finding(State.WELL, f"the followers are behind: {lags or 'none has ever run'}")
    workers = ", ".join(f"{count} at {name}" for name, count in (now.workers or {}).items())
    waiting = ", ".join(f"{count} in {name}" for name, count in (now.jobs or {}).items())
    yield Finding(State.WELL, f"workers: {workers or 'none'}; jobs that wait: {waiting or 'none'}")
    if parts.heartbeat.is_fresh(SHARDS[0], parts.store.now()):
        yield Finding(State.WELL, "a web process says that it is there")
    else:
        yield Finding(State.BAD, "no web process says that it is there", "start `pepper web`")


def _clock(parts: Services) -> Iterator[Finding]:
    here = int(datetime.now(UTC).timestamp() * 1000)
    ahead = here - parts.store.now()
    if abs(ahead) <= LARGEST_SKEW:
        yield Finding(
            State.WELL, f"this machine's clock and the event server's agree to {abs(ahead)} ms"
        )
        return
    told = f"this machine's clock is {ahead / 1000:+.1f} s off the event server's"
    yield Finding(State.ODD, told, "let both follow NTP; games go by the server's clock alone")


def _waiting(parts: Services) -> Iterator[Finding]:
    now = parts.store.now()
    stuck = parts.store.due_games(SHARDS, now - LONGEST_WAIT, limit=10)
    if stuck:
        told = f"games wait that should have moved, {len(stuck)} or more: {', '.join(stuck[:5])}"
        yield Finding(
            State.BAD, told, "`pepper verify` with their ids; and look into the ticker's log"
        )
    else:
        yield Finding(State.WELL, "no game is stuck")
    for key, what in ((ERASING, "erasures"), (DELIVERIES, "deliveries to webhooks")):
        left = int(parts.client.zcount(key, 1, now - LONGEST_OVERDUE))
        if left:
            yield Finding(
                State.ODD, f"{left} {what} should have gone on", "look into the ticker's log"
            )


def _version(told: Mapping[str, Any]) -> str:
    if "valkey_version" in told:
        return f"Valkey {told['valkey_version']}"
    return f"Redis {told['redis_version']}"


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
