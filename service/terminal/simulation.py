"""`pepper simulate`: whole games of bots, without a server."""

from rich.console import Console
from rich.progress import track
from rich.table import Table

from events.vocabulary import BotLevel
from service.rules.deck import side_of, sides
from service.simulate import GameResult, play_game


def simulate(players: int, games: int, levels: list[str], seed: int) -> None:
    """Play games and print what came of them; the same seed plays the same games."""
    seated = _seated(players, levels)
    console = Console()
    results = [
        play_game(players, {}, seated, f"{seed}/{number}")
        for number in track(range(games), "Playing", console=console)
    ]
    console.print(_table(players, seated, results))


def _seated(players: int, levels: list[str]) -> list[BotLevel]:
    try:
        named = [BotLevel(level) for level in levels]
    except ValueError:
        raise SystemExit(f"pepper: levels are {', '.join(BotLevel)}") from None
    if len(named) == 1:
        return named * players
    if len(named) != players:
        raise SystemExit(f"pepper: name one level, or {players} of them")
    return named


def _table(players: int, seated: list[BotLevel], results: list[GameResult]) -> Table:
    rounds = sum(result.rounds for result in results)
    table = Table(
        title=f"{len(results)} games of {players}, {rounds / len(results):.1f} rounds each"
    )
    for heading in ("side", "levels", "games won", "points a game", "points a round"):
        table.add_column(heading, justify="right")
    for side in range(sides(players)):
        levels = (level for seat, level in enumerate(seated) if side_of(seat, players) == side)
        won = sum(side in result.winners for result in results)
        points = sum(result.scores[side] for result in results)
        table.add_row(
            str(side),
            " + ".join(levels),
            f"{won} ({won / len(results):.0%})",
            f"{points / len(results):.1f}",
            f"{points / rounds:.2f}",
        )
    return table
