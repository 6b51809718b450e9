"""Games of a running service, played by persons whose streams are watched."""

import time

from tests.e2e.listeners import Listener
from tests.e2e.running import Json, Running


def new_game(running: Running, token: str, *kinds: str, target: int = 10) -> str:
    """A game with these seats; its path."""
    body = {
        "players": len(kinds),
        "seats": [{"kind": kind} for kind in kinds],
        "rules": {"target_score": target},
    }
    status, view = running.ask("POST", "/v1/games", body, token)
    assert status == 201, view
    return f"/v1/games/{view['id']}"


def act(running: Running, path: str, tokens: list[str]) -> Json:
    """Whoever is on turn acts, if a person is; the view after that."""
    for token in tokens:
        you = running.ask("GET", path, token=token)[1]["you"]
        if you["legal_actions"]:
            return running.ask("POST", f"{path}/actions", you["legal_actions"][0], token)[1]
    return running.ask("GET", path)[1]


def play(running: Running, path: str, tokens: list[str], pause: float) -> None:
    """Persons act slowly until the game is over."""
    while act(running, path, tokens)["status"] == "in_progress":
        time.sleep(pause)


def check(listener: Listener, running: Running, path: str) -> None:
    """Fails unless it has heard every version once, in order, and the end."""
    listener.join(60)
    version = running.ask("GET", path)[1]["version"]
    heard = [frame.id for frame in listener.events()]
    assert heard == [str(number) for number in range(1, version + 1)]
    assert listener.frames[-1].type == "end"
