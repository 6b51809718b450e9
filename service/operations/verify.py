"""`pepper verify`: folds every log again and says which entry of which game cannot be."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from redis import Redis

from events.codec import CorruptEntry
from events.feed import cursors_key, order
from events.redis_store import due_key, feed_key
from events.store import Recorded
from events.vocabulary import SHARDS, GameId, shard_of
from service.game.position import Position, fold
from service.game.state import is_over
from service.operations.legality import Flaw, first_flaw
from service.operations.progress import games_shown, say
from service.table import UNREADABLE, GameUnknown
from service.wiring import Services

AT_ONCE = 500


class Finding(NamedTuple):
    """What is wrong, and where: a game or a key, and the version of a game's first bad entry."""

    where: str
    version: int | None
    why: str

    def __str__(self) -> str:
        at = "" if self.version is None else f" version {self.version}"
        return f"{self.where}{at}: {self.why}"


def verify(parts: Services, names: Sequence[str]) -> bool:
    """Print what is wrong with these games, or with all and their shards; whether nothing is."""
    named = [GameId(name) for name in names]
    checked = bad = 0
    for game in named or games_shown(parts.store):
        checked += 1
        if finding := game_finding(parts, game):
            bad += 1
            say(str(finding))
    for shard in () if named else SHARDS:
        for finding in shard_findings(parts, shard):
            bad += 1
            say(str(finding))
    say(f"{checked} games, {bad} findings")
    return bad == 0


def game_finding(parts: Services, game: GameId) -> Finding | None:
    """What is wrong with a game: its log first, else what the store keeps beside it."""
    log, fault = parts.store.read_intact(game)
    flaw = first_flaw(game, log)
    if flaw is None and fault is not None:
        flaw = Flaw(len(log) + 1, _said_of(fault, game))
    if flaw is not None:
        return Finding(game, *flaw)
    position = fold(game, log)
    if position is None:
        return Finding(game, None, "there is no such game")
    return _link_finding(parts, position, log) or _due_finding(parts, position)


def _said_of(fault: CorruptEntry, game: GameId) -> str:
    return f"unreadable: {str(fault).removeprefix(game).lstrip(',: ')}"


def _link_finding(parts: Services, position: Position, log: list[Recorded]) -> Finding | None:
    predecessor = position.game.setup.rematch_of
    if predecessor is None or parts.store.successor(predecessor) == position.id:
        return None
    return Finding(position.id, log[0].version, f"{predecessor} is not linked to it")


def _due_finding(parts: Services, position: Position) -> Finding | None:
    """A game that goes on must be looked at again some time, or it may wait for ever."""
    if is_over(position.game):
        return None
    if parts.client.zscore(due_key(shard_of(position.id)), position.id) is not None:
        return None
    if parts.table.look(position.id).version != position.version:
        return None
    return Finding(position.id, position.version, "it waits, and is not in the due set")


def shard_findings(parts: Services, shard: str) -> Iterator[Finding]:
    """What is wrong with what a shard keeps about its games together: due set, feed, cursors."""
    yield from _due_findings(parts, shard)
    yield from _feed_findings(parts, shard)
    yield from _cursor_findings(parts.client, shard)


def _due_findings(parts: Services, shard: str) -> Iterator[Finding]:
    key = due_key(shard)
    for member, _at in parts.client.zscan_iter(key, count=AT_ONCE):
        game = GameId(cast(bytes, member).decode())
        if shard_of(game) != shard or not _is_there(parts, game):
            yield Finding(key, None, f"{game} has no log here")


def _feed_findings(parts: Services, shard: str) -> Iterator[Finding]:
    key, after = feed_key(shard), "-"
    while entries := cast(
        list[tuple[bytes, list[bytes]]], parts.client.xrange(key, after, count=AT_ONCE)
    ):
        after = f"({entries[-1][0].decode()}"
        told: dict[GameId, int] = {}
        for entry_id, fields in entries:
            named = dict(zip(fields[::2], fields[1::2], strict=True))
            if not named.keys() >= {b"g", b"v", b"c"}:
                yield Finding(key, None, f"entry {entry_id.decode()} names no append")
                continue
            told[GameId(named[b"g"].decode())] = int(named[b"v"])
        for game, version in told.items():
            if not _is_there(parts, game, version):
                yield Finding(key, None, f"it tells of {game} version {version}, which is nowhere")


def _cursor_findings(client: Redis, shard: str) -> Iterator[Finding]:
    key = cursors_key(shard)
    cursors = cast(dict[bytes, bytes], client.hgetall(key))
    if not cursors or not client.exists(feed_key(shard)):
        return
    last = cast(bytes, client.xinfo_stream(feed_key(shard))["last-generated-id"])
    for name, cursor in cursors.items():
        if order(cursor) > order(last):
            yield Finding(key, None, f"{name.decode()} is ahead of the feed")


def _is_there(parts: Services, game: GameId, version: int = 1) -> bool:
    """Whether a game has been as far as a version; what cannot be read is found with its game."""
    try:
        return parts.table.look(game).version >= version
    except GameUnknown:
        return False
    except UNREADABLE:
        return True
