"""A bot for Pepper in Python: joins a table, plays until the game ends. Standard library only.

    python examples/bot.py http://127.0.0.1:8000 [game id]

Without a game id it opens a four-player game against the house bots. Its play is simple: it passes
when it may, and plays the first legal card.
"""

import json
import sys
import time
import urllib.request
from urllib.error import HTTPError

URL = sys.argv[1].rstrip("/") if len(sys.argv) > 1 else "http://127.0.0.1:8000"


def ask(method, path, body=None, token=None, version=None):
    """One request; gives the status and the JSON answer."""
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if version:
        headers["If-Match"] = str(version)
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except HTTPError as refused:
        return refused.code, json.load(refused)


def choose(actions):
    """Pass if that is legal, else the first action: bids are listed low to high."""
    return next((action for action in actions if action["type"] == "pass"), actions[0])


def main():
    """Play one game."""
    _, joined = ask("POST", "/v1/players", {"name": "Example bot", "bot": True})
    token = joined["token"]
    if len(sys.argv) > 2:
        _, view = ask("POST", f"/v1/games/{sys.argv[2]}/seats", {}, token)
    else:
        _, view = ask("POST", "/v1/games", {"players": 4}, token)
    path = f"/v1/games/{view['id']}"
    while view["status"] in ("open", "in_progress"):
        if view["you"]["legal_actions"]:
            action = choose(view["you"]["legal_actions"])
            ask("POST", f"{path}/actions", action, token, view["version"])
        else:
            time.sleep(0.05)
        _, view = ask("GET", path, token=token)
    print(f"{view['id']} {view['status']}: scores {view['scores']}, winners {view['winners']}")


if __name__ == "__main__":
    main()
