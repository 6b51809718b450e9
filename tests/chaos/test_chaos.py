"""The fault test in its short form; `make chaos` is the long one."""

from tests.chaos.run import run

SECONDS, TABLES, SEED = 30, 8, 20
FEWEST_FAULTS, FEWEST_ACTIONS = 15, 20
"""Far below what a slow machine does: a run that did less has shown nothing."""


def test_nothing_is_lost_or_doubled_and_no_game_is_stuck_whatever_dies() -> None:
    report = run(SECONDS, SEED, TABLES)
    assert not report.findings, "\n".join(report.lines())
    assert sum(report.faults.values()) > FEWEST_FAULTS
    assert report.accepted > FEWEST_ACTIONS
    assert report.packed
