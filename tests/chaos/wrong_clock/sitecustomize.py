"""Makes the clocks that Python code of this process can read wrong by CHAOS_CLOCK_SHIFT seconds.

Python loads a module of this name by itself before the program. What runs by the monotonic clock is
left alone, as it is when an operator sets a machine's clock.
"""

import datetime
import os
import time
from typing import Self

_SHIFT = int(os.environ["CHAOS_CLOCK_SHIFT"])
_true_time, _true_time_ns = time.time, time.time_ns


class _Shifted(datetime.datetime):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> Self:
        return super().now(tz) + datetime.timedelta(seconds=_SHIFT)

    @classmethod
    def utcnow(cls) -> Self:
        return cls.now(datetime.UTC).replace(tzinfo=None)


def _time() -> float:
    return _true_time() + _SHIFT


def _time_ns() -> int:
    return _true_time_ns() + _SHIFT * 1_000_000_000


time.time, time.time_ns = _time, _time_ns
datetime.datetime = _Shifted  # type: ignore[misc]  # on purpose
