"""The commands of the documentation, run as they stand; the answers are those that stand there."""

import os
import re
import subprocess
from pathlib import Path

from tests.e2e.running import Running

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BETWEEN = "\nprintf '\\000'\n"


def blocks(document: str) -> list[tuple[str, str | None]]:
    """The shell blocks of a document, each with the text that is said to come of it."""
    found = BLOCK.findall((ROOT / document).read_text(encoding="utf-8"))
    following = [*found[1:], ("", "")]
    return [
        (block, answer if answer_kind == "text" else None)
        for (kind, block), (answer_kind, answer) in zip(found, following, strict=True)
        if kind == "sh"
    ]


def said(script: str, url: str, folder: Path) -> str:
    """What a shell says to a script; every command must succeed."""
    environment = {**os.environ, "URL": url, "TMPDIR": str(folder)}
    ended = subprocess.run(
        ["sh", "-eu", "-c", script],
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def is_like(answer: str, expected: str) -> bool:
    """Whether they are the same but for what `…` stands for."""
    pattern = ".*?".join(map(re.escape, expected.strip().split("…")))
    return re.fullmatch(pattern, answer.strip(), re.DOTALL) is not None


def test_the_session_of_the_page_for_clients(running: Running, tmp_path: Path) -> None:
    session = blocks("docs/clients.md")
    answers = said(BETWEEN.join(block for block, _ in session), running.url, tmp_path).split("\0")
    assert len(answers) == len(session) > 10
    for answer, (block, expected) in zip(answers, session, strict=True):
        assert is_like(answer, expected or ""), f"{block}\nanswers\n{answer}"


def test_the_game_of_the_readme(running: Running, tmp_path: Path) -> None:
    (game,) = [block for block, _ in blocks("README.md") if block.startswith("URL=")]
    own = re.sub(r"^URL=\S+", f"URL={running.url}", game)
    answers = said(own, running.url, tmp_path)
    assert re.search(re.escape(running.url) + r"/g/g_[\w-]+\n\Z", answers)
    assert '"hand":[' in answers
    assert '"events":[' in answers
