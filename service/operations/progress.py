"""What a command says, and a bar for whoever watches it on a terminal."""

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from events.redis_store import RedisEventStore
from events.vocabulary import GameId

Step = TypeVar("Step")


def shown(steps: Iterable[Step], what: str, total: int | None = None) -> Iterator[Step]:
    """These steps, one by one, with a bar on standard error as they are taken."""
    if not sys.stderr.isatty():
        yield from steps
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, redirect_stdout=sys.stdout.isatty()) as bar:
        yield from bar.track(steps, total=total, description=what)


def games_shown(store: RedisEventStore) -> Iterator[GameId]:
    """Every game, with a bar; they are counted first if somebody watches."""
    total = sum(1 for _game in store.games()) if sys.stderr.isatty() else None
    return shown(store.games(), "Games", total)


def say(line: str) -> None:
    """One line of the command's output, at once."""
    print(line, flush=True)  # noqa: T201  (the command's output)
