"""`pepper restore`: a backup becomes the store, and what follows from the logs is made anew.

Whoever was erased stays so: marks of the store that is replaced survive it, others can be named.
"""

import re
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import cast

from redis import Redis

from events.vocabulary import SHARDS, PlayerId
from service.durability import RESTORING
from service.game.state import is_over
from service.operations import archive
from service.operations.keys import ALL, AT_ONCE, is_kept, put
from service.operations.progress import games_shown, shown
from service.wiring import Services
from service.workers.erasing import erasures, finish_erasures
from service.workers.reading import readable
from service.workers.rebuild import rebuild

ERASED = "pepper:{p:*}:erased"
LEASES = "pepper:{?}:lease:*"
OF_AN_EMPTY_STORE = re.compile(r"pepper:\{(secret\}|.\}:(beat|outages))")
"""What a service leaves that nobody has used."""

LONGEST_WAIT = 5.0
"""Seconds in which leases and beats of processes that have ended are gone."""


class Refused(Exception):
    """Nothing has been written; the message says why."""


def restore(
    parts: Services, path: Path, erased: Iterable[str] = (), *, replace: bool = False
) -> int:
    """Put back what a backup holds; how many games there are then. Raises Refused, Damaged.

    Cut off, it leaves a store that says so, and may be done again with `replace`.
    """
    total = sum(1 for _key in shown(archive.read(path), "Checking"))
    _refuse_if_in_use(parts)
    if not replace and _is_used(parts.client):
        raise Refused("the store is not empty: --replace drops what is in it")
    parts.client.set(RESTORING, 1)
    _drop_all(parts.client)
    _put_all(parts.client, shown(archive.read(path), "Keys", total))
    _erase(parts, erased)
    games = rebuild(parts, games_shown(parts.store))
    while erasures(parts).due(parts.store.now()):
        finish_erasures(parts)
    _wake(parts)
    parts.client.delete(RESTORING)
    return games


def _refuse_if_in_use(parts: Services) -> None:
    until = time.monotonic() + LONGEST_WAIT
    while _is_in_use(parts):
        if time.monotonic() > until:
            raise Refused("a service uses the store: stop every process but the servers")
        time.sleep(0.1)


def _is_in_use(parts: Services) -> bool:
    if any(parts.client.scan_iter(LEASES, count=AT_ONCE)):
        return True
    now = parts.store.now()
    return any(parts.heartbeat.is_fresh(shard, now) for shard in SHARDS)


def _is_used(client: Redis) -> bool:
    return any(is_kept(key) and not OF_AN_EMPTY_STORE.fullmatch(key) for key in _keys(client, ALL))


def _drop_all(client: Redis) -> None:
    """All but the marks of who is erased, and that this is under way."""
    spared = {*_keys(client, ERASED), RESTORING}
    keys = (key for key in _keys(client, ALL) if key not in spared)
    while some := list(islice(keys, AT_ONCE)):
        with client.pipeline(transaction=False) as asked:
            for key in some:
                asked.unlink(key)
            asked.execute()


def _put_all(client: Redis, kept: Iterator[archive.Kept]) -> None:
    while some := list(islice(kept, AT_ONCE)):
        with client.pipeline(transaction=False) as asked:
            for each in some:
                put(asked, each)
            asked.execute()


def _erase(parts: Services, named: Iterable[str]) -> None:
    """Begin the erasure of all who are marked or named: the backup may have them still."""
    now = parts.store.now()
    for player in named:
        erasures(parts).begin(PlayerId(player), now)
    for key in _keys(parts.client, ERASED):
        erasures(parts).begin(player_marked(key), now)


def player_marked(key: str) -> PlayerId:
    """Whom a mark of erasure is about."""
    return PlayerId(key.removeprefix("pepper:{p:").removesuffix("}:erased"))


def erased_players(client: Redis) -> Iterator[PlayerId]:
    """Everybody who is erased, or is being; one may come twice."""
    return map(player_marked, _keys(client, ERASED))


def _wake(parts: Services) -> None:
    """Tell the followers of every game that goes on: the feed in which they were told is gone."""
    for position in readable(parts.table, parts.store.games()):
        if not is_over(position.game):
            parts.store.feed_again(position.id, position.version)


def _keys(client: Redis, pattern: str) -> Iterator[str]:
    return (cast(bytes, key).decode() for key in client.scan_iter(pattern, count=AT_ONCE))
