"""The values of keys by their type: asked for, as a backup writes them, and put back."""

from collections.abc import Callable
from typing import Any

from redis.client import Pipeline


def _text(value: bytes) -> str:
    return value.decode("latin-1")


def _bytes(text: str) -> bytes:
    return text.encode("latin-1")


def _texts(values: Any) -> list[str]:
    return [_text(value) for value in values]


def _by_turns(pairs: Any) -> list[str]:
    return _texts(part for pair in pairs for part in pair)


def _paired(parts: list[str]) -> dict[bytes, bytes]:
    return dict(zip(map(_bytes, parts[::2]), map(_bytes, parts[1::2]), strict=True))


def _scored(parts: list[Any]) -> dict[bytes, float]:
    return dict(zip(map(_bytes, parts[::2]), parts[1::2], strict=True))


def _put_stream(asked: Pipeline, key: str, entries: list[list[str]]) -> None:
    for entry_id, *fields in entries:
        asked.xadd(key, _paired(fields), entry_id)  # type: ignore[arg-type]  # keys are invariant


ASK: dict[str, Callable[[Pipeline, str], Any]] = {
    "string": lambda asked, key: asked.get(key),
    "hash": lambda asked, key: asked.hgetall(key),
    "list": lambda asked, key: asked.lrange(key, 0, -1),
    "set": lambda asked, key: asked.smembers(key),
    "zset": lambda asked, key: asked.zrange(key, 0, -1, withscores=True),
    "stream": lambda asked, key: asked.xrange(key),
}
"""By type: asks for a key's value through a pipeline."""

WRITTEN: dict[str, Callable[[Any], Any]] = {
    "string": _text,
    "hash": lambda fields: _by_turns(fields.items()),
    "list": _texts,
    "set": lambda members: sorted(_texts(members)),
    "zset": lambda pairs: [part for member, score in pairs for part in (_text(member), score)],
    "stream": lambda entries: [[_text(entry_id), *_texts(parts)] for entry_id, parts in entries],
}
"""By type: an answer as `Kept.value` has it."""

PUT: dict[str, Callable[[Pipeline, str, Any], Any]] = {
    "string": lambda asked, key, value: asked.set(key, _bytes(value)),
    "hash": lambda asked, key, parts: asked.hset(key, mapping=_paired(parts)),  # type: ignore[arg-type]  # as above
    "list": lambda asked, key, items: asked.rpush(key, *map(_bytes, items)),
    "set": lambda asked, key, members: asked.sadd(key, *map(_bytes, members)),
    "zset": lambda asked, key, parts: asked.zadd(key, _scored(parts)),
    "stream": _put_stream,
}
"""By type: writes a value to a key that is not there, through a pipeline."""
