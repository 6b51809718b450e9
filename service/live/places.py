"""How many may listen or wait at once: in one process, and each of them."""

import threading
from collections import Counter

from prometheus_client import Gauge


class NoPlace(Exception):
    """All places of the process are taken."""


class TooMany(Exception):
    """This one has taken all places that one may have."""


class Places:
    """Counted places, `shown` as a metric; who asks has a name, such as a token's id, or none."""

    def __init__(self, total: int, each: int, shown: Gauge | None = None) -> None:
        self.total, self._each, self._shown = total, each, shown
        self._taken: Counter[str | None] = Counter()
        self._lock = threading.Lock()

    def take(self, name: str | None) -> None:
        """One place more for this name; raises NoPlace, TooMany. Then `leave` it."""
        with self._lock:
            if name is not None and self._taken[name] >= self._each:
                raise TooMany(name)
            if self._taken.total() >= self.total:
                raise NoPlace
            self._taken[name] += 1
            if self._shown:
                self._shown.inc()

    def leave(self, name: str | None) -> None:
        """Give one place back."""
        with self._lock:
            self._taken[name] -= 1
            if not self._taken[name]:
                del self._taken[name]
            if self._shown:
                self._shown.dec()

    def taken(self) -> int:
        """How many places are taken."""
        with self._lock:
            return self._taken.total()
