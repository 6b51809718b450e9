"""Two of every process over one store, and now and then one that stands still: nothing twice."""

import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from tests.e2e.running import Json, Running, beside, eventually, service
from tests.e2e.tables import new_game
from tests.webhooks.receiver import receiver, says

COMMANDS = ("web", "follow", "tick", "work", "deliver")
STOPPED = ("follow", "tick", "work")
LONGER_THAN_A_LEASE = 2.0
ACTIONS = ("bid", "passed", "trump_named", "card_played")
BOTS = ("bot",) * 4


@pytest.fixture
def pair() -> Iterator[Running]:
    settings = {"PEPPER_WEBHOOKS_LOOPBACK": "on"}
    with service(settings) as running, beside(running, COMMANDS, settings):
        yield running


@contextmanager
def standing_still(running: Running, command: str) -> Iterator[None]:
    """One of the two processes of a kind does nothing until the block ends."""
    (one, *_others) = sorted(running.children(f"pepper {command}"))
    os.kill(one, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(one, signal.SIGCONT)


def act(running: Running, path: str, token: str) -> str:
    """The player acts if it is their turn; the game's status."""
    view = running.ask("GET", path, token=token)[1]
    for action in view["you"]["legal_actions"][:1]:
        running.ask("POST", f"{path}/actions", action, token)
    return str(view["status"])


def play_for(running: Running, path: str, token: str, seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        act(running, path, token)
        time.sleep(0.05)


def frames(running: Running, path: str) -> list[Json]:
    """Everything that happened, as anybody may see it."""
    found: list[Json] = []
    while True:
        page = running.ask("GET", f"{path}/events?after={len(found)}&limit=100")[1]["items"]
        found += page
        if not page:
            return found


def is_by_player(event: Json) -> bool:
    """Whether the person acted."""
    return event["type"] in ACTIONS and event["seat"] == 0


def turns_of(told: list[Any], path: str) -> Counter[int]:
    """How often each of the player's turns was told, by version."""
    game = path.rpartition("/")[2]
    return Counter(
        each["version"] for each in told if (each["game"], each["type"]) == (game, "turn")
    )


def test_each_turn_and_each_message_is_once(pair: Running) -> None:
    ana = pair.join("Ana")
    with receiver(says(204)) as mine, ExitStack() as stopped:
        wish = {"url": mine.url(), "events": ["turn", "game_finished"]}
        hook = pair.ask("POST", "/v1/webhooks", wish, ana)[1]
        path = new_game(pair, ana, "me", "bot", "bot", target=8)
        others = [new_game(pair, ana, *BOTS, target=8) for _ in range(6)]
        for command in STOPPED:
            with standing_still(pair, command):
                play_for(pair, path, ana, LONGER_THAN_A_LEASE)
            play_for(pair, path, ana, 0.3)
        stopped.close()
        eventually(lambda: act(pair, path, ana) == "finished", "the game's end")
        eventually(
            lambda: all(pair.ask("GET", each)[1]["status"] == "finished" for each in others),
            "the bots' games' end",
        )
        eventually(
            lambda: mine.bodies(hook["secret"])[-1]["type"] == "game_finished", "the last word"
        )
        told = mine.bodies(hook["secret"])

    ids = [came.headers["webhook-id"] for came in mine.came]
    assert len(ids) == len(set(ids))
    acted = [frame["version"] for frame in frames(pair, path) if is_by_player(frame["event"])]
    assert turns_of(told, path) == Counter(version - 1 for version in acted)
    for each in (path, *others):
        log = frames(pair, each)
        version = pair.ask("GET", each)[1]["version"]
        assert [frame["version"] for frame in log] == [*range(1, version + 1)]
