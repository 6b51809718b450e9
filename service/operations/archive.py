"""A backup's file: gzip of lines of JSON, one a key; the format is described in docs/operations.md.

The first line names the format, the last one says how many keys there are. Bytes are written as the
characters of the same numbers (Latin-1), so that a file can be read with zcat and any JSON library.
"""

import gzip
import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

FORMAT = 1
TYPES = frozenset({"string", "hash", "list", "set", "zset", "stream"})


class Kept(NamedTuple):
    """One key: what type of value it is, when it ends (milliseconds since 1970), and its value.

    `value`: a string; the items of a list or set; fields and values by turns; members and scores by
    turns; or the entries of a stream, each its id, then fields and values by turns.
    """

    key: str
    type: str
    ends: int | None
    value: Any


class Damaged(Exception):
    """The file is no whole backup; the message says why."""


def write(path: Path, made_at: int, kept: Iterable[Kept]) -> int:
    """Write a file that is there when it is whole; how many keys it has. Raises FileExistsError."""
    if path.exists():
        raise FileExistsError(path)
    part = path.with_name(f"{path.name}.part")
    count = 0
    with _only_mine(part) as raw:
        with gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=6) as lines:
            lines.write(_line({"pepper": "backup", "format": FORMAT, "made_at": made_at}))
            for each in kept:
                lines.write(_line(list(each)))
                count += 1
            lines.write(_line({"keys": count}))
        raw.flush()
        os.fsync(raw.fileno())
    part.rename(path)
    return count


def _only_mine(path: Path) -> Any:
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb")


def _line(written: Any) -> bytes:
    return orjson.dumps(written) + b"\n"


def read(path: Path) -> Iterator[Kept]:
    """The keys of a file; raises Damaged, at its end at the latest if it is not whole."""
    try:
        with gzip.open(path, "rb") as lines:
            yield from _checked(map(orjson.loads, lines))
    except EOFError:
        raise Damaged("it is cut off") from None
    except (gzip.BadGzipFile, zlib.error, ValueError) as fault:
        raise Damaged(f"it is damaged: {type(fault).__name__}") from None


def _checked(lines: Iterator[Any]) -> Iterator[Kept]:
    head = next(lines, None)
    if not isinstance(head, dict) or head.get("pepper") != "backup":
        raise Damaged("it is no backup of Pepper")
    if head.get("format") != FORMAT:
        raise Damaged(f"its format is {head.get('format')}, and this version reads {FORMAT}")
    count, last = 0, None
    for last in lines:
        if isinstance(last, dict):
            break
        yield _kept(last)
        count += 1
    if last != {"keys": count}:
        raise Damaged("it is cut off")
    if next(lines, None) is not None:
        raise Damaged("something follows its end")


def _kept(line: Any) -> Kept:
    match line:
        case [str(key), str(kind), int() | None as ends, value] if kind in TYPES:
            return Kept(key, kind, ends, value)
    raise Damaged("it has a line that is no key")
