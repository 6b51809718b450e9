"""One pub/sub connection a process: channels ring bells. A bell may be lost, never the log."""

import logging
import threading
from collections.abc import Callable

from redis import Redis
from redis.client import PubSub
from redis.exceptions import RedisError

Bell = Callable[[str], None]
QUIET_FOR = 1.0
"""Seconds that the listener waits for a message before it looks whether it should go on."""

LOST = (RedisError, OSError, RuntimeError, AttributeError, TypeError, ValueError)
"""What a lost connection raises; the last three when another thread closes it under a reader."""

_log = logging.getLogger(__name__)


class Wakeups:
    """Rings the bell with a channel's name at every message there, and whenever one may be lost.

    The connection and its thread are made with the first channel, so that a process which forks
    after it was built shares neither.
    """

    def __init__(self, client: Redis, bell: Bell) -> None:
        self._client, self._bell = client, bell
        self._channels: set[str] = set()
        self._lock = threading.Lock()
        self._pubsub: PubSub | None = None
        self._closed, self._is_lost = threading.Event(), False
        self._thread = threading.Thread(target=self._run, daemon=True, name="wakeups")

    def listen(self, channel: str) -> None:
        """Hear a channel from now on; the bell rings once when that holds."""
        with self._lock:
            self._channels.add(channel)
            if self._pubsub is None:
                self._pubsub = self._client.pubsub()  # type: ignore[no-untyped-call]
                self._thread.start()
            self._tell("ssubscribe", channel)

    def ignore(self, channel: str) -> None:
        """Hear a channel no more."""
        with self._lock:
            self._channels.discard(channel)
            self._tell("sunsubscribe", channel)

    def close(self) -> None:
        """Hear nothing more, and give the connection back."""
        with self._lock:
            self._tell("sunsubscribe")
            self._closed.set()
        if self._pubsub is not None:
            self._thread.join(2 * QUIET_FOR)

    def _tell(self, command: str, *channels: str) -> None:
        if self._pubsub is None or self._closed.is_set() or self._is_lost:
            return
        try:
            getattr(self._pubsub, command)(*channels)
        except LOST as fault:  # the listener connects again and subscribes to all of them
            self._is_lost = True
            _log.warning("wake-ups: %s: %s", command, fault)

    def _run(self) -> None:
        while not self._closed.is_set():
            try:
                self._hear()
            except LOST as fault:
                _log.warning("wake-ups: %s", fault)
            if not self._closed.is_set():
                self._connect_again()
        with self._lock:
            self._give_back()

    def _hear(self) -> None:
        pubsub = self._pubsub
        assert pubsub is not None  # noqa: S101  (made before the thread)
        while not self._closed.is_set() and not self._is_lost:
            message = pubsub.get_sharded_message(timeout=QUIET_FOR)
            if message and message["type"] in ("smessage", "ssubscribe"):
                self._bell(message["channel"].decode())

    def _connect_again(self) -> None:
        while not self._closed.wait(QUIET_FOR):
            with self._lock:
                self._give_back()
                self._pubsub = self._client.pubsub()  # type: ignore[no-untyped-call]
                try:
                    for channel in self._channels:
                        self._pubsub.ssubscribe(channel)
                except LOST as fault:
                    _log.warning("wake-ups: %s", fault)
                else:
                    self._is_lost = False
                    return

    def _give_back(self) -> None:
        if self._pubsub is not None:
            self._pubsub.close()
