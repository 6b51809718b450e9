"""From a person's action to the next club bot's action in the log, over the real processes."""

import statistics
from datetime import datetime
from itertools import pairwise
from random import Random

from tests.e2e.running import Json, Running, eventually, service

GAMES = 4


def run() -> None:
    """Print the median and the 95th percentile, from the log's own times (milliseconds)."""
    waits: list[float] = []
    with service() as running:
        for number in range(GAMES):
            waits += _game(running, Random(number))
    waits.sort()
    print(
        f"{len(waits)} turns: median {statistics.median(waits):.0f} ms, "
        f"p95 {waits[int(len(waits) * 0.95)]:.0f} ms"
    )


def _game(running: Running, chance: Random) -> list[float]:
    token = running.join("Bench")
    _status, view = running.ask("POST", "/v1/games", {"players": 4}, token)
    path = f"/v1/games/{view['id']}"

    def is_ours_or_over() -> bool:
        nonlocal view
        view = running.ask("GET", path, token=token)[1]
        return view["status"] != "in_progress" or bool(view["you"]["legal_actions"])

    while True:
        eventually(is_ours_or_over, "a bot's move")
        if view["status"] != "in_progress":
            return _waits(running.ask("GET", f"{path}/replay")[1])
        running.ask("POST", f"{path}/actions", chance.choice(view["you"]["legal_actions"]), token)


def _waits(replay: Json) -> list[float]:
    events, waits = replay["events"], []
    for event, following in pairwise(events):
        if (event["by"]["kind"], following["by"]["kind"]) == ("player", "bot"):
            taken = datetime.fromisoformat(following["at"]) - datetime.fromisoformat(event["at"])
            waits.append(taken.total_seconds() * 1000)
    return waits
