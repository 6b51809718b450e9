"""Times of one function, and CPU time of another process."""

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def milliseconds(function: Callable[[], object], runs: int) -> float:
    """The median time of a call on this process's CPU clock."""
    function()
    taken = []
    for _run in range(runs):
        began = time.process_time()
        function()
        taken.append((time.process_time() - began) * 1000)
    return statistics.median(taken)


def wall_milliseconds(function: Callable[[], object], runs: int) -> float:
    """The median time of a call on the wall's clock."""
    function()
    taken = []
    for _run in range(runs):
        began = time.perf_counter()
        function()
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken)


def cpu_seconds(pid: int) -> float:
    """The CPU time that a process has used, user and system."""
    schedule = Path(f"/proc/{pid}/schedstat")
    if schedule.exists():
        return int(schedule.read_text().split()[0]) / 1e9
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident(pid: int) -> int:
    """The memory of a process that is resident, in bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
