"""The canonical JSON that hashes are taken of, and times as clients see them."""

from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256

import orjson


def canonical(value: object) -> bytes:
    """JSON with sorted keys and no white space, in UTF-8; numbers are whole."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def digest(value: object) -> str:
    """SHA-256 of the canonical JSON, in hexadecimal."""
    return sha256(canonical(value)).hexdigest()


def rfc3339(milliseconds: int) -> str:
    """A time since 1970 as RFC 3339 in UTC with milliseconds."""
    return f"{_second(milliseconds // 1000)}.{milliseconds % 1000:03d}Z"


@lru_cache(4096)
def _second(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"
