"""The examples in deploy/ run what the Procfile runs, with settings that exist."""

import re
from configparser import ConfigParser
from pathlib import Path

from service.supervise import PROCFILE

UNITS = Path("deploy/systemd")
DOCUMENTED = Path("docs/operations.md").read_text()


def unit(path: Path) -> ConfigParser:
    parser = ConfigParser(strict=False, interpolation=None)
    parser.read(path)
    return parser


def test_every_line_of_the_procfile_has_a_unit() -> None:
    commands = {line.partition(":")[2].strip() for line in PROCFILE.read_text().splitlines()}
    run = {
        unit(path)["Service"]["ExecStart"].removeprefix("/opt/pepper/bin/")
        for path in UNITS.glob("*.service")
        if path.stem != "pepper-backup"
    }
    assert run == commands


def test_the_target_wants_units_that_are_there() -> None:
    wanted = re.findall(r"pepper-[\w@.-]+\.service", (UNITS / "pepper.target").read_text())
    files = {re.sub(r"@\w+\.", "@.", name) for name in wanted}
    assert files == {path.name for path in UNITS.glob("*.service")} - {"pepper-backup.service"}


def test_the_settings_are_documented_ones() -> None:
    lines = (UNITS / "pepper.env").read_text().splitlines()
    names = {line.partition("=")[0] for line in lines if not line.startswith("#")}
    assert names
    assert all(f"`{name}`" in DOCUMENTED or name in DOCUMENTED for name in names)
