"""Cards, tricks and tables as coloured text."""

from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

SYMBOLS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
COLOURS = {"C": "green", "D": "bright_yellow", "H": "bright_red", "S": "bright_blue"}
Json = dict[str, Any]


def card(spelled: str) -> Text:
    """`JS` as J♠, in its suit's colour."""
    rank = "10" if spelled[0] == "T" else spelled[0]
    return Text(f"{rank}{SYMBOLS[spelled[1]]}", style=f"bold {COLOURS[spelled[1]]}")


def cards(spelled: list[str]) -> Text:
    """Cards in a row."""
    return Text("  ").join(card(one) for one in spelled)


def trump(named: str | None) -> Text:
    """A trump suit, no trump or low."""
    if named in SYMBOLS:
        return Text(SYMBOLS[named], style=f"bold {COLOURS[named]}")
    return Text({None: "not named yet", "none": "no trump", "low": "low"}.get(named, str(named)))


def bid(call: str) -> str:
    """A call as a player says it."""
    return call.replace("_", " ")


def action(body: Json) -> Text:
    """A legal action as a player says it."""
    match body["type"]:
        case "play_card":
            return card(body["card"])
        case "bid":
            return Text(f"bid {bid(body['bid'])}")
        case "name_trump":
            return Text("trump ").append_text(trump(body["trump"]))
        case _:
            return Text("pass")


def seat_name(seat: Json) -> str:
    """Who sits there."""
    if seat["player"]:
        return str(seat["player"].get("name") or seat["player"]["id"])
    return f"bot ({seat['level']})" if seat["kind"] == "bot" else "open"


def contract(shape: Json | None) -> Text:
    """What the declarer owes."""
    if shape is None:
        return Text("no contract yet")
    text = Text(f"seat {shape['declarer']} owes {bid(shape['bid'])}, ")
    return text.append_text(trump(shape["trump"]))


def trick(shape: Json) -> Text:
    """The cards of a trick by seat, from the lead on."""
    played = (
        Text(f"seat {play['seat']} ").append_text(card(play["card"])) for play in shape["plays"]
    )
    return Text("   ").join(played)


def table(view: Json) -> RenderableType:
    """A view: seats, contract, trick, last trick, own hand."""
    seats = Table(box=None, pad_edge=False)
    for heading in ("seat", "who", "cards", "side", "score", ""):
        seats.add_column(heading)
    turns = view["turn"]["seats"] if view["turn"] else []
    for seat in view["seats"]:
        mark = "◀ to act" if seat["seat"] in turns else ""
        score = str(view["scores"][seat["side"]])
        row = (str(seat["seat"]), seat_name(seat), str(seat["cards"]), str(seat["side"]), score)
        seats.add_row(*row, mark)
    parts: list[RenderableType] = [seats]
    current = view["round"]
    if current:
        calls = ", ".join(f"{call['seat']}: {bid(call['call'])}" for call in current["auction"])
        parts.append(Text(f"calls: {calls or 'none yet'}"))
        parts.append(Text("contract: ").append_text(contract(current["contract"])))
        if current["trick"]:
            parts.append(Text("trick: ").append_text(trick(current["trick"])))
    if view["last_trick"]:
        winner = view["last_trick"]["winner"]
        parts.append(
            Text("last trick: ", style="dim")
            .append_text(trick(view["last_trick"]))
            .append(f"  taken by seat {winner}")
        )
    if view["you"]:
        parts.append(Text("your hand: ").append_text(cards(view["you"]["hand"])))
    number = current["number"] if current else 0
    return Panel(Group(*parts), title=f"round {number}, version {view['version']}")
