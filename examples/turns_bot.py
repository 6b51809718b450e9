"""A bot in fifteen lines: `python examples/turns_bot.py http://127.0.0.1:8000` plays one game."""

import json
import sys
from urllib.request import Request, urlopen

url, headers = sys.argv[1], {"Content-Type": "application/json"}


def ask(path, body=None):
    """GET, or POST a body."""
    data = None if body is None else json.dumps(body).encode()
    return json.load(urlopen(Request(url + path, data, headers)))


headers["Authorization"] = "Bearer " + ask("/v1/players", {"bot": True})["token"]
game, page = ask("/v1/games", {"players": 4}), ask("/v1/me/turns")
while game["status"] == "in_progress":
    for turn in page["items"]:
        ask(f"/v1/games/{turn['game']}/actions", turn["view"]["you"]["legal_actions"][0])
    page = ask(f"/v1/me/turns?wait=5&after={page['cursor']}")
    game = ask(f"/v1/games/{game['id']}")
print(game["id"], game["status"], game["scores"])
