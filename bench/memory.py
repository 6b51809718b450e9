"""Redis memory of a finished four-player game in its stream; the feed is not counted."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from bench.games import bots_game
from events.redis_store import RedisEventStore, feed_key
from events.store import NO_ENTRIES, Entry, Head, Recorded
from events.vocabulary import GameId
from tests.conftest import client_of
from tests.servers import running_server, valkey

GAMES = 40


def run() -> None:
    """Print the mean growth of used_memory a game."""
    logs = [bots_game() for _game in range(GAMES)]
    with (
        tempfile.TemporaryDirectory(prefix="pp-") as folder,
        running_server(valkey(), Path(folder) / "v", "--appendonly", "no") as url,
        client_of(url) as client,
    ):
        store = RedisEventStore(client)
        _store(store, GameId("g_0warm"), logs[0])
        client.delete(feed_key("0"))
        before = cast(dict[str, int], client.info("memory"))["used_memory"]
        for number, log in enumerate(logs):
            _store(store, GameId(f"g_0bench{number:08d}"), log)
        client.delete(feed_key("0"))
        after = cast(dict[str, int], client.info("memory"))["used_memory"]
    events = sum(len(log) for log in logs) / GAMES
    kib = (after - before) / GAMES / 1024
    print(f"{GAMES} games of {events:.0f} events on average: {kib:.1f} KiB each")
    print(f"{(after - before) / GAMES / events:.1f} bytes an event; 53 KiB were measured for JSON")


def _entry(recorded: Recorded) -> Entry:
    return Entry(recorded.cause, recorded.event)


def _store(store: RedisEventStore, game: GameId, log: Sequence[Recorded]) -> None:
    head = NO_ENTRIES
    for recorded in log:
        command_id = os.urandom(8)
        done = store.append(game, head, command_id, [_entry(recorded)])
        head = Head(done.version, command_id)
