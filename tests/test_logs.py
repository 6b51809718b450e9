"""Lines that are not about requests: faults, warnings and what other libraries say."""

import json
import subprocess
import sys
from typing import Any

import pytest

BEGINNING = """
import logging, sys, threading, warnings
from service.logs import configure_logs
configure_logs("worker")
"""


def said(code: str) -> list[dict[str, Any]]:
    """What a process that runs this code writes, line by line; fails unless all is JSON."""
    ended = subprocess.run(
        [sys.executable, "-c", BEGINNING + code], capture_output=True, text=True, timeout=30
    )
    assert ended.stdout == ""
    return [json.loads(line) for line in ended.stderr.splitlines()]


@pytest.mark.parametrize(
    "code",
    [
        "raise ValueError('JS')",
        "threading.Thread(target=int, args=('JS',)).start()",
        "try: int('JS')\nexcept ValueError: logging.getLogger('service').exception('failed')",
    ],
)
def test_a_fault_is_named_and_placed_without_its_message(code: str) -> None:
    (line,) = said(code)
    assert [fault["type"] for fault in line["faults"]] == ["ValueError"]
    assert line["faults"][0]["at"]
    assert (line["process"], "JS" in json.dumps(line)) == ("worker", False)


def test_the_cause_of_a_fault_is_named() -> None:
    (line,) = said("try: int('JS')\nexcept ValueError: raise KeyError('JS')")
    assert [fault["type"] for fault in line["faults"]] == ["KeyError", "ValueError"]


def test_a_warning_is_a_line() -> None:
    (line,) = said("warnings.warn('old')")
    assert (line["level"], "old" in line["event"]) == ("warning", True)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Exception on /v1/x [GET]", "Exception on"),
        ("Invalid request from ip=::1: 'Authorization: y'", "Invalid request"),
        ("Error handling request GET /v1/x?y\nz", "Error handling request"),
        ("token pepper_0123456789 is odd", "token pepper_… is odd"),
    ],
)
def test_what_others_say_of_a_request_is_cut(text: str, shown: str) -> None:
    (line,) = said(f"logging.getLogger('gunicorn.error').error({text!r})")
    assert line["event"] == shown


def test_other_libraries_are_heard_from_warnings_on() -> None:
    told = said("for name in ('service.x', 'limits'): logging.getLogger(name).info('told')")
    assert [line["logger"] for line in told] == ["service.x"]
