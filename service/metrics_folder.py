"""The folder in which the processes of one machine count together."""

import os
from pathlib import Path

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


def empty(folder: Path) -> None:
    """Begin to count anew: for when none of the processes runs."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.glob("*.db"):
        file.unlink()


def forget_ended(folder: Path) -> None:
    """Drop what processes held open, such as streams, when they ended; what they counted stays."""
    for file in folder.glob("gauge_live*_*.db"):
        if not _is_alive(int(file.stem.rpartition("_")[2])):
            file.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    # In a container nobody may reap the children of a killed process: they stay, but are dead.
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
