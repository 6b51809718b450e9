"""`pepper doctor`: what is wrong is said, and what to do about it."""

import fcntl
import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from events.leases import lease_key
from events.redis_store import due_key
from events.vocabulary import SHARDS, GameId, shard_of
from service.durability import RESTORING
from service.operations.doctor import Finding, State, findings
from service.operations.locks import holder_of
from service.players.erasure import ERASING
from service.settings import Durability
from service.vitals import FOLLOWERS, TICKER
from service.wiring import Services, services
from service.workers.jobs import bot_queue
from service.workers.webhook_jobs import webhook_queue
from service.workers.worker import worker_on
from tests.e2e.running import PEPPER

LONG_AGO = 60_000


@pytest.fixture
def healthy(parts: Services) -> Services:
    """An installation that promises as much as its server keeps, and whose processes all live."""
    for shard in SHARDS:
        for name in (*FOLLOWERS, TICKER):
            parts.client.set(lease_key(shard, name), "somebody")
            parts.client.hset(f"pepper:{{{shard}}}:cursors", name, "0-0")
    parts.heartbeat.beat()
    for queue in (bot_queue(parts.client), webhook_queue(parts.client)):
        worker_on(queue).register_birth()  # type: ignore[no-untyped-call]
    return services(replace(parts.settings, durability=Durability.RELAXED))


def wrong(parts: Services) -> list[Finding]:
    return [finding for finding in findings(parts) if finding.state is not State.WELL]


def test_nothing_is_wrong_where_nothing_is(healthy: Services) -> None:
    assert wrong(healthy) == []


def forget_game(parts: Services) -> None:
    game = GameId("g_0stuck")
    parts.client.zadd(due_key(shard_of(game)), {game: parts.store.now() - LONG_AGO})


def lose_ticker(parts: Services) -> None:
    parts.client.delete(*(lease_key(shard, TICKER) for shard in SHARDS))


def lose_follower(parts: Services) -> None:
    parts.client.delete(lease_key("7", "inbox"))


def fall_behind(parts: Services) -> None:
    entry = f"{parts.store.now() - LONG_AGO}-0"
    parts.client.xadd("pepper:{3}:feed", {"g": "g_3x", "v": 1, "c": "P"}, entry)


def lose_workers(parts: Services) -> None:
    parts.client.delete(*parts.client.keys("rq:worker*"))


def lose_web(parts: Services) -> None:
    for shard in SHARDS:
        parts.client.decrby(f"pepper:{{{shard}}}:beat", LONG_AGO)


def leave_erasure(parts: Services) -> None:
    parts.client.zadd(ERASING, {"p_somebody": parts.store.now() - 10 * LONG_AGO})


def cut_restore_off(parts: Services) -> None:
    parts.client.set(RESTORING, 1)


@pytest.mark.parametrize(
    ("break_it", "said", "advised"),
    [
        (forget_game, "g_0stuck", "pepper verify"),
        (lose_ticker, "16 of 16 shards: ticker", "pepper tick"),
        (lose_follower, "1 of 16 shards: inbox", "pepper follow"),
        (fall_behind, "60 s behind: bots", "pepper follow"),
        (lose_workers, "nobody works at the queue: bots", "pepper work"),
        (lose_workers, "nobody works at the queue: webhooks", "pepper deliver"),
        (lose_web, "no web process", "pepper web"),
        (leave_erasure, "1 erasures should have gone on", "ticker"),
        (cut_restore_off, "a restore is under way or was cut off", "Durability"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(
    healthy: Services, break_it: Callable[[Services], None], said: str, advised: str
) -> None:
    break_it(healthy)
    found = wrong(healthy)
    assert any(said in finding.said and advised in finding.advice for finding in found), found


def test_a_promise_that_is_not_kept_is_bad(healthy: Services) -> None:
    strict = services(replace(healthy.settings, durability=Durability.FSYNC))
    (finding,) = wrong(strict)
    assert (finding.state, "append-only file" in finding.said) == (State.BAD, True)


def test_servers_that_do_not_answer_are_named_without_their_passwords(parts: Services) -> None:
    url = "redis://:secret@127.0.0.1:1/0"
    nowhere = services(replace(parts.settings, redis_url=url, queue_url=url))
    found = [*findings(nowhere)]
    assert [finding.state for finding in found] == [State.BAD, State.BAD]
    assert all("redis://127.0.0.1:1/0" in finding.said for finding in found)
    assert not any("secret" in finding.said for finding in found)


def test_the_holder_of_a_lock_is_known(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    assert holder_of(lock) is None
    lock.touch()
    assert holder_of(lock) is None
    with lock.open() as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        assert holder_of(lock) == os.getpid()
    assert holder_of(lock) is None


def test_the_command_says_by_its_exit_whether_all_is_well(redis_url: str) -> None:
    settings = {"REDIS_URL": redis_url, "QUEUE_URL": redis_url}
    ended = subprocess.run(
        [str(PEPPER), "doctor"],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 1
    assert "bad   the event store has no append-only file" in ended.stdout
    assert "→ start `pepper web`" in ended.stdout
