"""Finished four-player games as streams and packed: memory a game, and CPU to pack and to read.

Bots play the games; times are then as of bots (some milliseconds between moves) or as of persons
(some seconds, and random), since times are much of what a pack holds.
"""

import secrets
import tempfile
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from random import Random
from statistics import mean
from typing import TypeVar, cast

from redis import Redis

from bench.games import bots_game
from bench.measure import milliseconds
from events.catalogue import BotSeated, SeatTaken
from events.codec import encode
from events.packer import Packer
from events.packs import pack, unpack
from events.redis_store import RedisEventStore, log_key, packed_key
from events.store import COMMAND_ID_BYTES, Recorded
from events.vocabulary import Cause, GameId, PlayerId
from service.projections.lobby import Lobby
from service.table import Table
from tests.conftest import client_of
from tests.servers import running_server, valkey

GAMES, COPIES, PACKS = 60, 10, 20_000
BEGAN = 1_790_000_000_000
RUNS = 50
Given = TypeVar("Given")


def run() -> None:
    """Print the figures of games of bots, then of persons."""
    logs = [bots_game() for _game in range(GAMES)]
    rng = Random(1)
    print(f"{GAMES} games of {mean(map(len, logs)):.0f} events on average")
    _measure("bots", [_values(log, rng, _bots_pause) for log in logs])
    persons = [_of_persons(log) for log in logs]
    _measure("persons", [_values(log, rng, _persons_pause) for log in persons])


def _bots_pause(rng: Random) -> int:
    return int(rng.lognormvariate(1.6, 0.4))


def _persons_pause(rng: Random) -> int:
    return int(rng.lognormvariate(8.3, 0.9))


def _of_persons(log: Sequence[Recorded]) -> list[Recorded]:
    """The same play, but as if persons had sat there."""
    changed = []
    for entry in log:
        event = entry.event
        if isinstance(event, BotSeated):
            event = SeatTaken(event.seat, PlayerId(f"p_{secrets.token_urlsafe(12)}"))
        cause = Cause.PLAYER if entry.cause is Cause.BOT else entry.cause
        changed.append(entry._replace(event=event, cause=cause))
    return changed


def _values(log: Sequence[Recorded], rng: Random, pause: Callable[[Random], int]) -> list[bytes]:
    """A log as it is stored, each append some time after the one before."""
    at, values = BEGAN, []
    for _command, append in groupby(log, key=lambda entry: entry.command_id):
        at += pause(rng)
        stamp = rng.randbytes(COMMAND_ID_BYTES) + at.to_bytes(6, "big")
        values += [stamp + entry.cause.value.encode() + encode(entry.event) for entry in append]
    return values


def _measure(who: str, logs: list[list[bytes]]) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="pp-") as folder,
        running_server(valkey(), Path(folder) / "v", "--appendonly", "no") as url,
        client_of(url) as client,
    ):
        store, packer = RedisEventStore(client), Packer(client)
        games = [GameId(f"g_0{secrets.token_urlsafe(12)}") for _copy in range(COPIES * len(logs))]
        empty = _used(client)
        for number, game in enumerate(games):
            _put(client, game, logs[number % len(logs)])
        as_streams = _used(client)
        usage = mean(_usage(client, log_key(game)) for game in games)
        read_stream = milliseconds(_each(store.read, games), RUNS)
        packing = milliseconds(_each(packer.pack, games), len(games) - 1)
        sizes = [_usage(client, packed_key(game)) for game in games]
        read_pack = milliseconds(_each(store.read, games), RUNS)
        packed = _used(client)
        _list(client, games)
        listed = _used(client)
        _put_packs(client, [pack(log) for log in logs])
        many = _used(client)
    streams, packs = (as_streams - empty) / len(games), (many - listed) / PACKS
    lists = (listed - packed) / len(games)
    print(f"{who}: as a stream {usage:.0f} bytes (MEMORY USAGE), {streams:.0f} of used_memory")
    print(
        f"{who}: packed {mean(sizes):.0f} bytes, {max(sizes)} at most, {packs:.0f} of used_memory"
    )
    print(f"{who}: summary and places in lists {lists:.0f} of used_memory, packed or not")
    print(f"{who}: to pack, at the store, {packing:.2f} ms; pack() {_pure(pack, logs):.2f} ms")
    print(f"{who}: to read a stream {read_stream:.2f} ms, a pack {read_pack:.2f} ms")
    print(f"{who}: unpack() {_pure(unpack, [pack(log) for log in logs]):.2f} ms")


def _put(client: Redis, game: GameId, values: Sequence[bytes]) -> None:
    with client.pipeline(transaction=False) as asked:
        for version, value in enumerate(values, 1):
            asked.xadd(log_key(game), {"e": value}, id=f"{version}-0")
        asked.execute()


def _put_packs(client: Redis, packs: Sequence[bytes]) -> None:
    """So many that what the server needs for itself does not count."""
    with client.pipeline(transaction=False) as asked:
        for number in range(PACKS):
            game = GameId(f"g_0{secrets.token_urlsafe(12)}")
            asked.set(packed_key(game), packs[number % len(packs)])
        asked.execute()


def _list(client: Redis, games: Sequence[GameId]) -> None:
    lobby, table = Lobby(client), Table(RedisEventStore(client))
    for game in games:
        lobby.record(table.look(game))


def _each(do: Callable[[GameId], object], games: Sequence[GameId]) -> Callable[[], object]:
    rest = iter(games)
    return lambda: do(next(rest))


def _pure(do: Callable[[Given], object], given: Sequence[Given]) -> float:
    return milliseconds(lambda: [do(each) for each in given], 5) / len(given)


def _usage(client: Redis, key: str) -> int:
    return cast(int, client.memory_usage(key, samples=0))


def _used(client: Redis) -> int:
    """The server's memory, once what was unlinked has been freed."""
    while True:
        info = cast(dict[str, int], client.info())
        if not info["lazyfree_pending_objects"]:
            return info["used_memory"]
