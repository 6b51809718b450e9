"""Players' bells: whoever waits for one is woken, whichever process rang it."""

import threading
import time
from collections import defaultdict

from redis import Redis

from events.vocabulary import PlayerId
from service.live.wakeups import Wakeups
from service.projections.inbox import bell_channel

LOST_RING = 10.0
"""Seconds after which a listener looks whether something has come, though nothing rang."""


class Ear:
    """One who listens to a player's bell; `is_dismissed` once the process ends."""

    def __init__(self, player: PlayerId) -> None:
        self.player, self.is_dismissed = player, False
        self._rung, self._looked_at = threading.Event(), time.monotonic()

    def wait(self, seconds: float) -> bool:
        """Until the bell rings, or has since the last wait, or the time is up; whether to look."""
        unlooked = time.monotonic() - self._looked_at
        is_rung = self._rung.wait(max(min(seconds, LOST_RING - unlooked), 0.0))
        self._rung.clear()
        now = time.monotonic()
        if not is_rung and now - self._looked_at < LOST_RING:
            return False
        self._looked_at = now
        return True

    def ring(self) -> None:
        """Wake the listener."""
        self._rung.set()


class Bells:
    """All bells that a process listens to, over one connection; made with the first listener."""

    def __init__(self, client: Redis) -> None:
        self._wakeups = Wakeups(client, self._ring)
        self._ears: dict[str, set[Ear]] = defaultdict(set)
        self._lock = threading.Lock()
        self._is_closed = False

    def hear(self, player: PlayerId) -> Ear:
        """Listen from now on: look after this, and nothing is missed. Then `leave`."""
        ear, channel = Ear(player), bell_channel(player)
        with self._lock:
            is_first = channel not in self._ears
            self._ears[channel].add(ear)
            if self._is_closed:
                _dismiss(ear)
            elif is_first:
                self._wakeups.listen(channel)
        return ear

    def leave(self, ear: Ear) -> None:
        """Listen no more."""
        channel = bell_channel(ear.player)
        with self._lock:
            self._ears[channel].discard(ear)
            if not self._ears[channel]:
                del self._ears[channel]
                self._wakeups.ignore(channel)

    def close(self) -> None:
        """Send every listener away, now and from now on: the process ends."""
        with self._lock:
            self._is_closed = True
            for ears in self._ears.values():
                for ear in ears:
                    _dismiss(ear)
        self._wakeups.close()

    def listeners(self) -> int:
        """How many listen."""
        with self._lock:
            return sum(len(ears) for ears in self._ears.values())

    def _ring(self, channel: str) -> None:
        with self._lock:
            for ear in self._ears.get(channel, ()):
                ear.ring()


def _dismiss(ear: Ear) -> None:
    ear.is_dismissed = True
    ear.ring()
