"""What a stream says, as a client reads it: from server-sent events or from lines of JSON."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import orjson


class Frame(NamedTuple):
    """One frame; `id` is None where the stream gives none, `body` is its JSON."""

    id: str | None
    type: str
    body: dict[str, Any]


def of_sse(lines: Iterable[str]) -> Iterator[Frame]:
    """The frames of server-sent events, each as its blank line comes; comments are skipped."""
    said: dict[str, str] = {}
    for line in lines:
        name, _, value = line.rstrip("\n").partition(": ")
        if name:
            said[name] = value
        elif "data" in said:
            body = orjson.loads(said["data"])
            assert body["type"] == said["event"]
            yield Frame(said.get("id"), said["event"], body)
        if not line.strip():
            said = {}


def of_ndjson(lines: Iterable[str]) -> Iterator[Frame]:
    """The frames of lines of JSON."""
    for line in lines:
        body = orjson.loads(line)
        yield Frame(None, body["type"], body)
