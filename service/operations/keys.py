"""What a backup keeps of the event server: every key that cannot be made anew from the logs."""

import re
from collections.abc import Iterator, Sequence
from fnmatch import translate
from itertools import islice
from typing import Any, cast

from redis import Redis
from redis.client import Pipeline

from events.redis_store import log_key, packed_key, requests_key
from events.vocabulary import GameId
from service.operations.archive import Kept
from service.operations.values import ASK, PUT, WRITTEN
from service.workers.rebuild import PATTERNS as LISTS

ALL = "pepper:*"
LOGS, PACKS = "pepper:{?}:log:*", "pepper:{?}:packed:*"
PASSES = (LOGS, PACKS, "pepper:{?}:*", "pepper:{t:*}", "pepper:{p:*}:*", ALL)
"""What is read one after another: games before tokens, and these before players.

So whatever is made meanwhile is never kept without what it belongs to. Packs come after logs: a
game that is packed meanwhile is found as one or the other.
"""

MADE_ANEW = (
    *LISTS,
    "pepper:{?}:feed",
    "pepper:{?}:cursors",
    "pepper:{?}:seen",
    "pepper:{?}:due",
    "pepper:{?}:packable",
    "pepper:{?}:next:*",
)
WITH_THEIR_GAME = "pepper:{?}:requests:*"
NOT_KEPT = (
    *MADE_ANEW,
    WITH_THEIR_GAME,
    "pepper:{?}:lease:*",
    "pepper:{?}:online:*",
    "pepper:{tries:*}:*",
    "pepper:limits*",
    "pepper:touched*",
    "pepper:{restoring}",
)
AT_ONCE = 200
_IS_NOT_KEPT = re.compile("|".join(map(translate, NOT_KEPT)))
_IS_WITH_GAME = re.compile(translate(WITH_THEIR_GAME))
_PASS_PATTERNS = [re.compile(translate(pattern)) for pattern in PASSES]


def is_kept(key: str) -> bool:
    """Whether a backup keeps a key, a game's requests with their game."""
    return not _IS_NOT_KEPT.match(key) or bool(_IS_WITH_GAME.match(key))


def keys_of_pass(client: Redis, number: int) -> Iterator[str]:
    """The keys that are kept in one pass; one may come twice."""
    earlier = _PASS_PATTERNS[:number]
    for raw in client.scan_iter(PASSES[number], count=AT_ONCE):
        key = cast(bytes, raw).decode()
        if not _IS_NOT_KEPT.match(key) and not any(each.match(key) for each in earlier):
            yield key


def kept(client: Redis) -> Iterator[Kept]:
    """Everything that is kept; what belongs to one game is read in one step."""
    for number, pattern in enumerate(PASSES):
        keys = keys_of_pass(client, number)
        while some := list(islice(keys, AT_ONCE)):
            if pattern in (LOGS, PACKS):
                for key in some:
                    yield from _game(client, GameId(key.rpartition(":")[2]))
            else:
                yield from _some(client, some)


def _game(client: Redis, game: GameId) -> Iterator[Kept]:
    keys = {log_key(game): "stream", packed_key(game): "string", requests_key(game): "hash"}
    with client.pipeline(transaction=True) as asked:
        for key, kind in keys.items():
            ASK[kind](asked, key)
            asked.pexpiretime(key)
        yield from _made(keys, asked.execute())


def _some(client: Redis, keys: Sequence[str]) -> Iterator[Kept]:
    with client.pipeline(transaction=False) as asked:
        for key in keys:
            asked.type(key)
        types = [kind.decode() for kind in asked.execute()]
    typed = {key: kind for key, kind in zip(keys, types, strict=True) if kind in ASK}
    with client.pipeline(transaction=False) as asked:
        for key, kind in typed.items():
            ASK[kind](asked, key)
            asked.pexpiretime(key)
        yield from _made(typed, asked.execute())


def _made(typed: dict[str, str], answers: list[Any]) -> Iterator[Kept]:
    pairs = zip(answers[::2], answers[1::2], strict=True)
    for (key, kind), (value, ends) in zip(typed.items(), pairs, strict=True):
        if value:
            yield Kept(key, kind, ends if ends > 0 else None, WRITTEN[kind](value))


def put(pipeline: Pipeline, kept: Kept) -> None:
    """Put a key back as it was kept, whatever is there now."""
    for key in (kept.key, *_instead_of(kept.key)):
        pipeline.unlink(key)
    PUT[kept.type](pipeline, kept.key, kept.value)
    if kept.ends is not None:
        pipeline.pexpireat(kept.key, kept.ends)


def _instead_of(key: str) -> list[str]:
    """A game is a stream or a pack: the file may have it as both, if it was packed meanwhile."""
    game = GameId(key.rpartition(":")[2])
    twins = {log_key: packed_key, packed_key: log_key} if game.startswith("g_") else {}
    return [twin(game) for own, twin in twins.items() if own(game) == key]
