"""A backup of a running service, restored elsewhere: players act, bots play, clocks run on."""

import os
import subprocess
import tempfile
from pathlib import Path

from tests.e2e.running import PEPPER, Json, Running, eventually, start
from tests.e2e.tables import new_game


def pepper(data: Path, *arguments: str) -> str:
    """A command on a data folder, and what it said."""
    environment = {**os.environ, "PEPPER_DATA": str(data)}
    for name in ("REDIS_URL", "QUEUE_URL"):
        environment.pop(name, None)
    ended = subprocess.run(
        [str(PEPPER), *arguments], env=environment, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def with_clock(running: Running, token: str) -> str:
    """A game of two persons, one of whom must act within five seconds; its path."""
    clock = {"turn_seconds": 5, "on_timeout": "bot_plays"}
    body = {"players": 2, "seats": [{"kind": "me"}, {"kind": "open"}], "clock": clock}
    path = f"/v1/games/{running.ask('POST', '/v1/games', body, token)[1]['id']}"
    status, _seat = running.ask("POST", f"{path}/seats", {}, running.join("Ben"))
    assert status in (200, 201)
    return path


def is_over(running: Running, path: str) -> bool:
    return str(running.ask("GET", path)[1]["status"]) == "finished"


def events_of(running: Running, path: str) -> list[Json]:
    return list(running.ask("GET", f"{path}/events?after=0")[1]["items"])


def test_everything_goes_on_where_the_backup_was_made() -> None:
    with tempfile.TemporaryDirectory(prefix="pp-") as folder:
        first, second, file = Path(folder) / "1", Path(folder) / "2", Path(folder) / "backup"
        first.mkdir()
        second.mkdir()
        running = start(first)
        token = running.join("Ana")
        bots = new_game(running, token, "bot", "bot", "bot", "bot", target=100)
        mine = new_game(running, token, "me", "bot", "bot")
        late = with_clock(running, token)
        eventually(lambda: running.ask("GET", bots)[1]["version"] > 20, "bots that play")
        pepper(first, "backup", str(file))
        running.stop()

        assert pepper(second, "restore", str(file)) == "3 games\n"
        again = start(second)
        try:
            before = again.ask("GET", bots)[1]["version"]
            assert before > 20
            eventually(lambda: again.ask("GET", bots)[1]["version"] > before, "bots that go on", 15)
            eventually(lambda: bool(again.ask("GET", mine, token=token)[1]["you"]), "my seat", 5)
            eventually(lambda: _extended(again, late), "time given back", 15)
            listed = again.ask("GET", "/v1/games?player=me", token=token)[1]["items"]
            assert len(listed) == 3
        finally:
            again.stop()
        assert pepper(second, "verify") == "3 games, 0 findings\n"


def _extended(running: Running, path: str) -> bool:
    return any(frame["event"]["type"] == "clock_extended" for frame in events_of(running, path))
