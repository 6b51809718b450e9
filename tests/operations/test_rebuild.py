"""`pepper rebuild`: what was lost beside the logs is there again, and nobody notices it running."""

import os
import subprocess
import threading
from typing import cast

from redis import Redis

from events.redis_store import due_key
from events.vocabulary import SHARDS
from service.operations.verify import verify
from service.wiring import Services
from service.workers.rebuild import rebuild
from tests.e2e.running import PEPPER, Running, eventually, service
from tests.e2e.tables import new_game, play
from tests.operations.tables import ANA, all_kinds, found, play_out


def due_times(client: Redis) -> dict[bytes, float]:
    times: dict[bytes, float] = {}
    for shard in SHARDS:
        kept = client.zrange(due_key(shard), 0, -1, withscores=True)
        times |= dict(cast(list[tuple[bytes, float]], kept))
    return times


def test_games_that_wait_are_due_again_when_they_were(parts: Services) -> None:
    games = all_kinds(parts.table)
    before = due_times(parts.client)
    assert 0 < len(before) < len(games)
    parts.client.delete(*(due_key(shard) for shard in SHARDS))
    rebuild(parts)
    assert due_times(parts.client) == before


def test_what_is_due_already_stays_so(parts: Services) -> None:
    game = found(parts.table, "me", "open").id
    parts.store.postpone(game, 1 << 45)
    rebuild(parts)
    assert due_times(parts.client) == {game.encode(): float(1 << 45)}


def test_a_rematch_is_linked_again(parts: Services) -> None:
    first = play_out(parts.table, found(parts.table, "me", "bot"))
    rematch = parts.table.rematch(first.id, ANA, is_bot=False)
    assert isinstance(rematch, tuple)
    (link,) = parts.client.keys("pepper:{?}:next:*")
    parts.client.delete(link)
    rebuild(parts)
    assert parts.table.successor(first.id) == rematch[0].id
    assert verify(parts, [])


def pepper(running: Running, command: str) -> str:
    environment = {**os.environ, "PEPPER_DATA": str(running.data)}
    ended = subprocess.run(
        [str(PEPPER), command], env=environment, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_it_may_run_again_and_again_while_games_go_on() -> None:
    with service() as running:
        token = running.join("Ana")
        bots = [new_game(running, token, "bot", "bot", "bot", "bot", target=3) for _ in range(4)]
        mine = new_game(running, token, "me", "bot", "bot", target=3)
        open_game = new_game(running, token, "me", "open")
        playing = threading.Thread(target=play, args=(running, mine, [token], 0.02))
        playing.start()
        for _again in range(2):
            assert pepper(running, "rebuild") == "6 games\n"
        playing.join(60)
        for path in (*bots, mine):
            eventually(
                lambda path=path: running.ask("GET", path)[1]["status"] == "finished",  # type: ignore[misc]
                "the end of every game",
            )
        listed = "/v1/games?player=me&status=finished"

        def all_listed() -> bool:
            games = running.ask("GET", listed, token=token)[1]["items"]
            return {f"/v1/games/{game['id']}" for game in games} >= {*bots, mine}

        eventually(all_listed, "every game in its list", 10)
        waiting = running.ask("GET", "/v1/games?player=me&status=open", token=token)[1]["items"]
        assert [f"/v1/games/{game['id']}" for game in waiting] == [open_game]
        assert pepper(running, "verify").endswith("6 games, 0 findings\n")
