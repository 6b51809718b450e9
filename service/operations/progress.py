"""A bar for whoever watches a long command on a terminal; elsewhere nothing is shown."""

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
