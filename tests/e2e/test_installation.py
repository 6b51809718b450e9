"""What is installed to run is all that running loads: the `dev` extra must not hide a gap."""

import subprocess
import sys
from importlib.metadata import distribution, packages_distributions

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOADED = """
import sys
before = set(sys.modules)
import gunicorn.app.wsgiapp, gunicorn.workers.ggevent
import service.api.app, service.cli, service.supervise, service.web_server
import service.terminal.play, service.terminal.replay, service.terminal.simulation
import service.workers.follower, service.workers.worker
print(*{name.partition(".")[0] for name in set(sys.modules) - before})
"""


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


def test_running_loads_only_what_the_project_asks_for() -> None:
    shown = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, check=True)
    owners = packages_distributions()
    loaded = {
        canonicalize_name(owner)
        for name in shown.stdout.decode().split()
        for owner in owners.get(name, ())
    }
    needed: set[str] = set()
    add_needed(Requirement("pepper-service"), needed)
    assert "gunicorn" in loaded
    assert loaded - needed == set()
