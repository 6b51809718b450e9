"""Redis memory of a finished four-player game in its stream; the feed is not counted."""

import tempfile
from pathlib import Path
from typing import cast

from redis import Redis

from bench.games import bots_game, store_log
from events.redis_store import RedisEventStore, feed_key
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
        store_log(store, GameId("g_0warm"), logs[0])
        before = _used(client)
        for number, log in enumerate(logs):
            store_log(store, GameId(f"g_0bench{number:08d}"), log)
        after = _used(client)
    events = sum(len(log) for log in logs) / GAMES
    kib = (after - before) / GAMES / 1024
    print(f"{GAMES} games of {events:.0f} events on average: {kib:.1f} KiB each")
    print(f"{(after - before) / GAMES / events:.1f} bytes an event; 53 KiB were measured for JSON")


def _used(client: Redis) -> int:
    """The server's memory without the feed: trimmed, since Valkey frees deleted keys later."""
    client.xtrim(feed_key("0"), maxlen=0, approximate=False)
    return cast(dict[str, int], client.info("memory"))["used_memory"]
