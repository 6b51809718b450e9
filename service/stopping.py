"""How a process hears that it shall stop."""

import signal
from queue import Empty, SimpleQueue

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def stop_signals() -> SimpleQueue[int]:
    """The signals that ask this process to stop, as they come.

    They often come twice at once, and a handler that is interrupted by itself must not wait for its
    own lock: putting into a SimpleQueue may be interrupted so, setting a threading.Event may not.
    """
    asked: SimpleQueue[int] = SimpleQueue()
    for number in STOP_SIGNALS:
        signal.signal(number, lambda number, _frame: asked.put(number))
    return asked


def is_asked(asked: SimpleQueue[int], seconds: float) -> bool:
    """Whether this process is asked to stop within some seconds."""
    try:
        asked.get(timeout=seconds)
    except Empty:
        return False
    return True
