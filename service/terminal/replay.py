"""`pepper replay`: a game, round by round and trick by trick."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from service.terminal.client import Client, Json, Refused
from service.terminal.drawing import bid, cards, contract, seat_name, trick


def replay(url: str, game: str) -> None:
    """Print a game as far as anybody may know it."""
    game_id = game.rstrip("/").rpartition("/")[2].partition("#")[0]
    try:
        shown = Client(url).get(f"/v1/games/{game_id}/replay")
    except Refused as refusal:
        raise SystemExit(f"pepper: {refusal}") from None
    console = Console()
    for played in shown["rounds"]:
        _print_round(console, played)
    _print_end(console, shown)


def _print_round(console: Console, played: Json) -> None:
    console.rule(f"round {played['number']}, seat {played['dealer']} deals")
    for seat, hand in enumerate(played["hands"]):
        if hand is not None:
            console.print(Text(f"seat {seat}: ").append_text(cards(hand)))
    if played["dead_hand"]:
        console.print(Text("dead hand: ").append_text(cards(played["dead_hand"])))
    calls = ", ".join(f"{call['seat']}: {bid(call['call'])}" for call in played["auction"])
    console.print(f"calls: {calls}")
    console.print(Text("contract: ").append_text(contract(played["contract"])))
    for taken in played["tricks"]:
        console.print(trick(taken).append(f"   → seat {taken['winner']}", style="dim"))
    if played["points"] is not None:
        console.print(f"points {played['points']}, scores {played['scores']}")


def _print_end(console: Console, shown: Json) -> None:
    table = Table(title=f"{shown['id']}: {shown['status'].replace('_', ' ')}")
    for heading in ("seat", "who", "score", ""):
        table.add_column(heading)
    for seat in shown["seats"]:
        won = seat["side"] in (shown["winners"] or [])
        score = str(shown["scores"][seat["side"]])
        table.add_row(str(seat["seat"]), seat_name(seat), score, "won" if won else "")
    console.print(table)
    if shown["fairness"]["seed"]:
        console.print(f"seed {shown['fairness']['seed']}", style="dim")
