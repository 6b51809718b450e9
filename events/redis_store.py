"""The store of production: one Redis or Valkey stream a game, appended to by one script."""

from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from typing import Any, cast

from redis import Redis
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import TimeoutError as Late

from events.codec import KNOWN, CorruptEntry, decode, encode
from events.packs import unpack
from events.store import (
    COMMAND_ID_BYTES,
    FINGERPRINT_BYTES,
    NO_ENTRIES,
    REQUESTS_KEPT_FOR,
    Appended,
    Due,
    Entry,
    Head,
    HeadLost,
    Recorded,
    Remembered,
    Request,
    SuccessorExists,
    VersionConflict,
    repeated,
)
from events.vocabulary import Cause, GameId, shard_of

_CAUSES = {ord(cause.value): cause for cause in Cause}
_BODY = COMMAND_ID_BYTES + 6
_FORGET = """
local due = redis.call('ZSCORE', KEYS[1], ARGV[1])
if due and tonumber(due) <= tonumber(ARGV[2]) then redis.call('ZREM', KEYS[1], ARGV[1]) end
"""
RawEntry = tuple[bytes, list[bytes]]


def log_key(game: GameId) -> str:
    """The stream of a game."""
    return f"pepper:{{{shard_of(game)}}}:log:{game}"


def feed_key(shard: str) -> str:
    """The stream of all appends of a shard."""
    return f"pepper:{{{shard}}}:feed"


def due_key(shard: str) -> str:
    """The sorted set of a shard's games that wait for somebody, by when to look again."""
    return f"pepper:{{{shard}}}:due"


def packed_key(game: GameId) -> str:
    """The one value that a finished game's stream becomes (events/packs.py)."""
    return f"pepper:{{{shard_of(game)}}}:packed:{game}"


def packable_key(shard: str) -> str:
    """The sorted set of a shard's finished games that are still streams, by when they ended."""
    return f"pepper:{{{shard}}}:packable"


def requests_key(game: GameId) -> str:
    """The hash of the requests that a game has been asked."""
    return f"pepper:{{{shard_of(game)}}}:requests:{game}"


def wake_channel(game: GameId) -> str:
    """The sharded channel that says a game's new version after each append; it may lose some."""
    return f"pepper:{{{shard_of(game)}}}:live:{game}"


def _link_key(game: GameId) -> str:
    return f"pepper:{{{shard_of(game)}}}:next:{game}"


class RedisEventStore:
    """Logs in streams. The client must not retry by itself: a re-sent write is a second event."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._client.set_response_callback("XRANGE", lambda entries, **_options: entries)
        self._script = client.register_script(files("events").joinpath("append.lua").read_text())
        self._forget = client.register_script(_FORGET)

    def read(self, game: GameId, after: Head = NO_ENTRIES) -> Sequence[Recorded]:
        """The entries after `after`; raises HeadLost if that is not in the log any more."""
        start = max(after.version, 1)
        # Between the first two reads it may be packed, between the last two put back as a stream.
        values = (
            streamed(self._client, game, start)
            or self._packed(game)[start - 1 :]
            or streamed(self._client, game, start)
        )
        entries = _recorded(game, values, start)
        if not after.version:
            return entries
        if not entries or entries[0].command_id != after.command_id:
            raise HeadLost(game)
        return entries[1:]

    def _packed(self, game: GameId) -> list[bytes]:
        packed = cast(bytes | None, self._client.get(packed_key(game)))
        try:
            return [] if packed is None else unpack(packed)
        except CorruptEntry as fault:
            raise CorruptEntry(f"{game}: {fault}") from None

    def read_intact(self, game: GameId) -> tuple[list[Recorded], CorruptEntry | None]:
        """The entries up to the first that is out of order or unreadable, and what it is."""
        intact: list[Recorded] = []
        try:
            for version, value in enumerate(self._values(game), 1):
                intact += _recorded(game, [value], version)
        except CorruptEntry as fault:
            return intact, fault
        return intact, None

    def _values(self, game: GameId) -> Iterator[bytes]:
        """The stored values of a whole log, as far as they are in order; then CorruptEntry."""
        raw = cast(list[RawEntry], self._client.xrange(log_key(game)))
        if not raw:
            yield from self._packed(game)
        for version, (entry_id, fields) in enumerate(raw, 1):
            if entry_id != b"%d-0" % version:
                raise CorruptEntry(f"{game}: a gap before {entry_id.decode()}")
            if len(fields) != 2:
                raise CorruptEntry(f"{game}: an entry that is not one field")
            yield fields[1]

    def append(
        self,
        game: GameId,
        expected: Head,
        command_id: bytes,
        entries: Sequence[Entry],
        *,
        due: Due | None = None,
        successor_of: GameId | None = None,
        request: Request | None = None,
        is_last: bool = False,
    ) -> Appended:
        """Add all entries or none; one lost answer is asked for again under the same command id."""
        shard = shard_of(game)
        link = log_key(game) if successor_of is None else _link_key(successor_of)
        keys = [log_key(game), feed_key(shard), due_key(shard), link, wake_channel(game)]
        keys.append(requests_key(request.game if request else game))
        keys += [packed_key(game), packable_key(shard)]
        arguments: list[str | bytes | int] = [
            game,
            expected.version,
            expected.command_id,
            command_id,
            "" if due is None else due.after,
            "" if due is None or due.since is None else due.since,
            "" if successor_of is None else "1",
            "" if request is None else request.id,
            "" if request is None else _remembered_as(request, game),
            REQUESTS_KEPT_FOR if is_last or _asks_ended_game(request, game) else "",
            "1" if is_last else "",
            *(cause.value.encode() + encode(event) for cause, event in entries),
        ]
        answer = self._run(keys, arguments)
        if answer[0] == 0:
            raise VersionConflict(game)
        if answer[0] == 2:
            raise SuccessorExists(GameId(answer[1].decode()))
        if answer[0] == 3 and request is not None:
            raise repeated(request, _remembered(answer[1]))
        return Appended(int(answer[1]), int(answer[2]))

    def _run(self, keys: list[str], arguments: list[str | bytes | int]) -> list[Any]:
        try:
            return cast(list[Any], self._script(keys, arguments))
        except (Unreachable, Late):
            return cast(list[Any], self._script(keys, arguments))

    def check(self, request: Request) -> None:
        """Raises AlreadyDone if the request has been done, RequestReused."""
        kept = cast(bytes | None, self._client.hget(requests_key(request.game), request.id))
        if kept is not None:
            raise repeated(request, _remembered(kept[COMMAND_ID_BYTES:]))

    def remember(self, request: Request, game: GameId, version: int) -> None:
        """Remember a request that changed nothing; raises AlreadyDone, RequestReused."""
        kept = bytes(COMMAND_ID_BYTES) + _remembered_as(request, game) + b" %d" % version
        if not self._client.hsetnx(requests_key(request.game), request.id, kept):
            self.check(request)
        elif _asks_ended_game(request, game):
            self._client.expire(requests_key(request.game), REQUESTS_KEPT_FOR)

    def successor(self, game: GameId) -> GameId | None:
        """The game that was made to follow this one, if any."""
        linked = self._client.get(_link_key(game))
        return None if linked is None else GameId(cast(bytes, linked).decode())

    def games(self) -> Iterator[GameId]:
        """Every game that has a log, each once, in no order; new ones may be left out.

        Packs are looked for last: what is packed meanwhile is found as one or the other.
        """
        seen = set()
        for pattern in ("pepper:{?}:log:*", "pepper:{?}:packed:*"):
            for key in self._client.scan_iter(pattern, count=500):
                game = key.rpartition(b":")[2]
                if game not in seen:
                    seen.add(game)
                    yield GameId(game.decode())

    def now(self) -> int:
        """The store's time, in milliseconds since 1970."""
        seconds, microseconds = self._client.time()
        return int(seconds) * 1000 + int(microseconds) // 1000

    def due_games(self, shards: Iterable[str], now: int, limit: int = 100) -> list[GameId]:
        """Games that should have moved by now, the longest waiting of each shard up to a limit."""
        with self._client.pipeline(transaction=False) as asked:
            for shard in shards:
                asked.zrange(due_key(shard), 0, now, byscore=True, offset=0, num=limit)
            answers = cast(list[list[bytes]], asked.execute())
        return [GameId(game.decode()) for games in answers for game in games]

    def schedule(self, game: GameId, at: int) -> None:
        """Look at a game at a time, unless a time is set for it already."""
        self._client.zadd(due_key(shard_of(game)), {game: at}, nx=True)

    def feed_again(self, game: GameId, version: int) -> None:
        """Tell the followers of a game as if it had just come to this version."""
        told: dict[Any, Any] = {"g": game, "v": version, "c": Cause.SYSTEM.value}
        self._client.xadd(feed_key(shard_of(game)), told)

    def link(self, game: GameId, successor: GameId) -> None:
        """Say again which game was made to follow one, where that is not known any more."""
        self._client.set(_link_key(game), successor, nx=True)

    def postpone(self, game: GameId, until: int) -> None:
        """Look at a waiting game again at a time, unless it waits for longer or not at all."""
        self._client.zadd(due_key(shard_of(game)), {game: until}, xx=True, gt=True)

    def forget(self, game: GameId, now: int) -> None:
        """Never look at a game again, unless an append has set it a later time meanwhile."""
        self._forget([due_key(shard_of(game))], [game, now])


def _asks_ended_game(request: Request | None, game: GameId) -> bool:
    """Whether a request for one game has changed another: its rematch, so that it is over."""
    return request is not None and request.game != game


def _remembered_as(request: Request, game: GameId) -> bytes:
    return request.fingerprint + f"{request.status} {game}".encode()


def _remembered(kept: bytes) -> Remembered:
    status, game, version = kept[FINGERPRINT_BYTES:].decode().split(" ")
    return Remembered(kept[:FINGERPRINT_BYTES], int(status), GameId(game), int(version))


def streamed(client: Redis, game: GameId, start: int = 1) -> list[bytes]:
    """The stored values of a game's stream from a version on; raises CorruptEntry on a gap."""
    raw = cast(list[RawEntry], client.xrange(log_key(game), f"{start}-0", "+"))
    if raw and raw[-1][0] != b"%d-0" % (start + len(raw) - 1):
        raise CorruptEntry(f"{game}: a gap before {raw[-1][0].decode()}")
    try:
        return [value for _id, (_field, value) in raw]
    except ValueError:
        raise CorruptEntry(f"{game}: an entry that is not one field") from None


def _recorded(game: GameId, values: Iterable[bytes], start: int) -> list[Recorded]:
    made: list[Recorded] = []
    add, known, number = made.append, KNOWN.get, int.from_bytes
    try:
        for version, value in enumerate(values, start):
            body = value[_BODY + 1 :]
            event = known(body) or decode(body)
            at = number(value[COMMAND_ID_BYTES:_BODY], "big")
            add(Recorded(version, at, value[:COMMAND_ID_BYTES], _CAUSES[value[_BODY]], event))
    except (KeyError, IndexError, ValueError, CorruptEntry) as fault:
        raise CorruptEntry(f"{game}, version {start + len(made)}: {fault}") from None
    return made
