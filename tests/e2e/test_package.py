"""What a wheel must carry besides code: the contract, the processes, pages and the rules."""

import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHIPPED = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]


@pytest.mark.parametrize("name", ["openapi.yaml", "Procfile"])
def test_the_package_holds_a_file_of_the_repository_root(name: str) -> None:
    assert files("service").joinpath(name).read_bytes() == (ROOT / name).read_bytes()


def test_every_file_that_is_not_code_is_shipped() -> None:
    for package in ("service", "events"):
        folder = ROOT / package
        shipped = {path for pattern in SHIPPED[package] for path in folder.glob(pattern)}
        others = {
            path
            for path in folder.rglob("*")
            if path.is_file() and path.suffix != ".py" and "__pycache__" not in path.parts
        }
        assert others <= shipped
