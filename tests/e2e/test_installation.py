"""Running needs only what is installed to run: the `dev` extra must not hide a gap."""

import subprocess
import sys
from importlib.metadata import distribution, packages_distributions

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOAD = """
import sys
sys.modules.update(dict.fromkeys(sys.argv[1:]))
import gunicorn.app.wsgiapp, gunicorn.workers.ggevent
import service.api.app, service.cli, service.supervise, service.web_server
import service.terminal.play, service.terminal.replay, service.terminal.simulation
import service.workers.follower, service.workers.worker
"""
"""Loads everything that runs, where the packages named as arguments cannot be imported."""


def add_needed(asked: Requirement, found: set[str]) -> None:
    """Add the distributions that an installation of one brings, itself included."""
    found.add(canonicalize_name(asked.name))
    for line in distribution(asked.name).requires or ():
        brought = Requirement(line)
        if not is_brought(brought, asked.extras):
            continue
        if canonicalize_name(brought.name) not in found or brought.extras:
            add_needed(brought, found)


def is_brought(brought: Requirement, extras: set[str]) -> bool:
    marker = brought.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras))


def load_without(names: set[str]) -> subprocess.CompletedProcess[str]:
    """Load everything where some packages are missing."""
    return subprocess.run([sys.executable, "-c", LOAD, *names], capture_output=True, text=True)


def test_running_needs_only_what_the_project_asks_for() -> None:
    needed: set[str] = set()
    add_needed(Requirement("pepper-service"), needed)
    missing = {
        name
        for name, owners in packages_distributions().items()
        if not needed & {canonicalize_name(owner) for owner in owners}
    }
    assert "pytest" in missing
    assert load_without(missing).stderr == ""
    assert "redis" in load_without(missing | {"redis"}).stderr
