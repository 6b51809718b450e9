"""`python -m tests.chaos --seconds 300 --seed 1`: the fault test, and its figures."""

import argparse
import secrets
import sys
from pathlib import Path

from tests.chaos.run import run


def main() -> None:
    """Run, print the figures, fail if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300, help="of faults (300)")
    parser.add_argument("--seed", type=int, default=None, help="the same order of faults again")
    parser.add_argument("--tables", type=int, default=10, help="games at a time (10)")
    parser.add_argument("--output", type=Path, help="a file for what the processes said")
    asked = parser.parse_args()
    seed = secrets.randbelow(10**6) if asked.seed is None else asked.seed
    say = sys.stdout.write
    say(f"{asked.seconds:.0f} seconds of faults, seed {seed}\n")
    report = run(asked.seconds, seed, asked.tables, asked.output)
    say("\n".join(report.lines()) + "\n")
    sys.exit(bool(report.findings))


if __name__ == "__main__":
    main()
