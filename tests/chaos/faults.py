"""What is done to the service. A new kind of fault is a function here and a line in KINDS."""

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from random import Random

from redis import Redis
from redis.exceptions import RedisError

from events.vocabulary import GameId
from service.workers.jobs import JOB_TIMEOUT, PLAY_BOT_TURNS, bot_queue
from tests.chaos.members import UNLIMITED, Fleet, Member

SERVICE = ("web", "follower", "ticker", "worker")
ROOM_LEFT = 2000
"""Bytes that the log may still grow by when the disk is about to be full."""

HOUR = 3600


class Faults:
    """Does faults to a fleet, one after another, and counts them by kind."""

    def __init__(self, fleet: Fleet, chance: Random, games: Callable[[], list[str]]) -> None:
        self.fleet, self.chance, self.games = fleet, chance, games
        self.done: Counter[str] = Counter()
        self._later: list[tuple[float, Callable[[], object]]] = []
        self._deck: list[str] = []

    def run(self, seconds: float) -> None:
        """About a fault a second: every kind once, in any order, then every kind again."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if not self._deck:
                self._deck = self.chance.sample([*KINDS], len(KINDS))
            kind = self._deck.pop()
            if KINDS[kind](self):
                self.done[kind] += 1
                self.fleet.note(kind)
            self._pass(self.chance.uniform(0.6, 1.4))
        for _at, heal in self._later:
            heal()
        self.fleet.heal()

    def later(self, seconds: float, heal: Callable[[], object]) -> None:
        """Undo something after some seconds."""
        self._later.append((time.monotonic() + seconds, heal))

    def _pass(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            now = time.monotonic()
            due = [heal for at, heal in self._later if at <= now]
            self._later = [(at, heal) for at, heal in self._later if at > now]
            for heal in due:
                heal()
            time.sleep(0.02)

    def some(self) -> list[Member]:
        """Two of the service's processes, or more, or all."""
        members = self.fleet.of(*SERVICE)
        return self.chance.sample(members, self.chance.choice((2, 2, 3, 4, len(members))))

    def stop(self, member: Member) -> bool:
        """SIGSTOP for up to three seconds."""
        if not member.signal(signal.SIGSTOP):
            return False
        self.later(self.chance.uniform(0.3, 3), lambda: member.signal(signal.SIGCONT))
        return True


Kind = Callable[[Faults], bool]


def _kill(name: str) -> Kind:
    def kill(faults: Faults) -> bool:
        return faults.chance.choice(faults.fleet.of(name)).signal(signal.SIGKILL)

    return kill


def _stop(name: str) -> Kind:
    return lambda faults: faults.stop(faults.chance.choice(faults.fleet.of(name)))


def _kill_some(faults: Faults) -> bool:
    killed = [member.signal(signal.SIGKILL) for member in faults.some()]
    return any(killed)


def _stop_some(faults: Faults) -> bool:
    stopped = [faults.stop(member) for member in faults.some()]
    return any(stopped)


def _stop_and_kill(faults: Faults) -> bool:
    """Some processes stop, and others die meanwhile."""
    some = faults.some()
    half = len(some) // 2
    stopped = [faults.stop(member) for member in some[:half]]
    killed = [member.signal(signal.SIGKILL) for member in some[half:]]
    return any(stopped) and any(killed)


def _kill_gunicorn_worker(faults: Faults) -> bool:
    child = faults.chance.choice(faults.fleet.of("web")).child()
    if child is None:
        return False
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    return True


def _kill_gunicorn_master(faults: Faults) -> bool:
    return faults.chance.choice(faults.fleet.of("web")).signal(signal.SIGKILL, whole=False)


def _fill_disk(faults: Faults) -> bool:
    """The log's file may not grow any more, also after a restart, for two seconds.

    The server is told EFBIG where a full disk says ENOSPC; it does not look which.
    """
    events = faults.fleet.members["events"]
    size = faults.fleet.log_size()
    if not size:
        return False
    events.limit_files(size + ROOM_LEFT)
    faults.later(2, lambda: events.limit_files(UNLIMITED))
    return True


def _mislead(faults: Faults) -> bool:
    """A process lives its next life with a clock that is an hour wrong."""
    member = faults.chance.choice(faults.fleet.of(*SERVICE))
    member.shift = faults.chance.choice((-HOUR, HOUR))
    return member.signal(signal.SIGKILL)


def _shuffle_jobs(faults: Faults) -> bool:
    """Jobs come again, out of order, for turns that are over, that are, and that never will be."""
    games = faults.games()[-20:]
    if not games:
        return False
    try:
        with Redis.from_url(faults.fleet.queue_url) as client:
            queue = bot_queue(client)
            for job_id in queue.get_job_ids():
                faults.chance.choice((client.lpush, client.rpush))(queue.key, job_id)
            for _copy in range(30):
                game = GameId(faults.chance.choice(games).rpartition("/")[2])
                queue.enqueue_call(
                    PLAY_BOT_TURNS,
                    args=(game, faults.chance.randint(1, 150), faults.chance.randint(0, 1)),
                    timeout=JOB_TIMEOUT,
                    result_ttl=0,
                    at_front=faults.chance.random() < 0.5,
                )
    except RedisError:
        return False
    return True


KINDS: Mapping[str, Kind] = {
    **{f"kill a {name}": _kill(name) for name in SERVICE},
    **{f"stop a {name} for a while": _stop(name) for name in SERVICE},
    "kill a gunicorn worker": _kill_gunicorn_worker,
    "kill a gunicorn master": _kill_gunicorn_master,
    "kill several at once": _kill_some,
    "stop several at once": _stop_some,
    "stop some, kill others": _stop_and_kill,
    "kill the event server": _kill("events"),
    "stop the event server for a while": _stop("events"),
    "kill the job server, which forgets everything": _kill("queue"),
    "stop the job server for a while": _stop("queue"),
    "cut every connection to the event server": _kill("line"),
    "fill the event server's disk": _fill_disk,
    "set one process's clock wrong by an hour": _mislead,
    "repeat and reorder jobs": _shuffle_jobs,
}
