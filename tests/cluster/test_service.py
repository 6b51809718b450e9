"""The whole service over a cluster, two of every process; then a master is killed."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from events.redis_store import log_key
from events.vocabulary import GameId
from tests.e2e.listeners import Listener
from tests.e2e.running import Json, Running, beside, eventually, service
from tests.e2e.tables import check, new_game, play
from tests.webhooks.receiver import receiver, says
from tools.cluster import Cluster

OTHERS = ("follow", "tick", "work", "deliver")
GAMES, BOTS = 4, ("bot",) * 4


@contextmanager
def served(cluster: Cluster) -> Iterator[Running]:
    """A service over a cluster, its queue its own, and a second one of each process."""
    settings = {
        "REDIS_URL": cluster.url,
        "WEB_CONCURRENCY": "2",
        "PEPPER_DURABILITY": "replicated",
        "PEPPER_WEBHOOKS_LOOPBACK": "on",
        "PEPPER_RATE_LIMITS": "on",
    }
    with service(settings) as running:
        queue = {"QUEUE_URL": f"unix://{running.data}/queue.sock"}
        with beside(running, OTHERS, {**settings, **queue}):
            yield running


def is_ready(running: Running) -> bool:
    return running.ask("GET", "/readyz") == (
        200,
        {"status": "ready", "problems": [], "warnings": []},
    )


def is_over(running: Running, path: str, token: str) -> bool:
    return bool(running.ask("GET", path, token=token)[1].get("status") == "finished")


def test_games_streams_and_webhooks_over_a_cluster(lasting_cluster: Cluster) -> None:
    with served(lasting_cluster) as running, receiver(says(204)) as mine:
        eventually(lambda: is_ready(running), "all of it at work")
        ana = running.join("Ana")
        wish = {"url": mine.url(), "events": ["turn", "game_finished"]}
        hook = running.ask("POST", "/v1/webhooks", wish, ana)[1]
        path = new_game(running, ana, "me", "bot", "bot", target=1)
        heard = [Listener(running, path, token) for token in (ana, None)]
        others = [new_game(running, ana, *BOTS, target=1) for _ in range(GAMES)]
        play(running, path, [ana], 0)
        for listener in heard:
            check(listener, running, path)
        eventually(
            lambda: all(is_over(running, each, ana) for each in others), "the bots' games' end"
        )

        def told() -> list[Json]:
            return [body for body in mine.bodies(hook["secret"]) if path.endswith(body["game"])]

        eventually(lambda: bool(told()) and told()[-1]["type"] == "game_finished", "the last word")
        ids = [came.headers["webhook-id"] for came in mine.came]
        assert len(ids) == len(set(ids))
        versions = [body["version"] for body in told()]
        assert versions == sorted(versions)
        listed = running.ask("GET", "/v1/games?player=me&limit=100", token=ana)[1]["items"]
        assert {item["status"] for item in listed} == {"finished"}


class Player(threading.Thread):
    """Plays one game to its end, whatever is answered; keeps the versions it was acknowledged."""

    def __init__(self, running: Running, token: str) -> None:
        super().__init__(daemon=True)
        self._running, self._token = running, token
        self.path = new_game(running, token, "me", "bot", target=3)
        self.acknowledged: list[tuple[float, int]] = []
        self.is_over = False

    def run(self) -> None:
        while not self.is_over:
            with suppress(OSError):
                self._act()
            time.sleep(0.02)

    def _act(self) -> None:
        status, view = self._running.ask("GET", self.path, token=self._token)
        if status != 200:
            return
        self.is_over = view["status"] == "finished"
        for action in view["you"]["legal_actions"][:1]:
            actions = f"{self.path}/actions"
            status, view = self._running.ask("POST", actions, action, self._token)
            if status == 200:
                self.acknowledged.append((time.monotonic(), view["version"]))


def test_a_master_is_killed_and_nothing_acknowledged_is_lost(short_lived_cluster: Cluster) -> None:
    with served(short_lived_cluster) as running:
        eventually(lambda: is_ready(running), "all of it at work")
        ana = running.join("Ana")
        players = [Player(running, ana) for _ in range(GAMES)]
        listeners = [Listener(running, player.path, ana) for player in players]
        game = players[0].path.rpartition("/")[2]
        master, replica = short_lived_cluster.pair_of(log_key(GameId(game)))
        for player in players:
            player.start()
        eventually(lambda: all(player.acknowledged for player in players), "everybody plays")
        master.kill()
        eventually(lambda: replica.is_master, "the replica's promotion")
        master.start()  # as a replica: until there is one, nothing is acknowledged here
        eventually(lambda: all(player.is_over for player in players), "the games' end")
        for player, listener in zip(players, listeners, strict=True):
            versions = [version for _at, version in player.acknowledged]
            assert versions == sorted(set(versions))
            check(listener, running, player.path)
