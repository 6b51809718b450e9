"""`pepper play`: a person against bots, over HTTP."""

import time

from rich.console import Console
from rich.prompt import Prompt
from rich.text import Text

from service.terminal.client import Client, Json, Refused
from service.terminal.drawing import action, table

POLL_SECONDS = 0.3


def play(url: str, players: int, level: str, name: str | None) -> None:
    """Play one game; who stops early leaves the seat to a bot."""
    console, guest = Console(), Client(url)
    try:
        joined = guest.post("/v1/players", {"name": name} if name else {})
        client = guest.signed_in(joined["token"])
        wishes = [{"kind": "me"}, *({"kind": "bot", "level": level} for _ in range(players - 1))]
        view = client.post("/v1/games", {"players": players, "seats": wishes})
    except Refused as refusal:
        raise SystemExit(f"pepper: {refusal}") from None
    try:
        _play_or_leave(console, client, view)
    except Refused as refusal:
        console.print(Text(f"pepper: {refusal}", style="red"))
    console.print(f"pepper replay {view['id']} --url {url}")


def _play_or_leave(console: Console, client: Client, view: Json) -> None:
    try:
        _show_end(console, _play(console, client, view))
    except (KeyboardInterrupt, EOFError):
        client.delete(f"/v1/games/{view['id']}/seats/0")
        console.print("\nA bot plays on for you.")


def _play(console: Console, client: Client, view: Json) -> Json:
    game = f"/v1/games/{view['id']}"
    while view["status"] == "in_progress":
        if not view["you"]["legal_actions"]:
            time.sleep(POLL_SECONDS)
            view = client.get(game)
            continue
        console.print(table(view))
        chosen = _choose(console, view["you"]["legal_actions"])
        try:
            view = client.post(f"{game}/actions", chosen)
        except Refused as refusal:
            console.print(Text(str(refusal), style="red"))
            view = client.get(game)
    return view


def _choose(console: Console, actions: list[Json]) -> Json:
    line = Text("   ").join(
        Text(f"{number} ", style="dim").append_text(action(body))
        for number, body in enumerate(actions, 1)
    )
    console.print(line)
    numbers = [str(number) for number in range(1, len(actions) + 1)]
    asked = Prompt.ask("Which", console=console, choices=numbers, show_choices=False)
    return actions[int(asked) - 1]


def _show_end(console: Console, view: Json) -> None:
    console.print(table(view))
    own = view["seats"][0]["side"]
    won = own in (view["winners"] or [])
    console.print(Text("You win!" if won else "You lose.", style="bold"))
