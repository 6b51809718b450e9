"""The ticker: a game whose job was lost moves again, one whose job waits is left alone."""

from typing import cast

import pytest
from redis import Redis
from rq import Queue

from events.redis_store import due_key, log_key
from events.vocabulary import SHARDS, GameId, shard_of
from service.game.clocks import BOT_TURN_GRACE, expires_at
from service.game.position import Position
from service.wiring import Services
from service.workers.bot_turn import take_bot_turns
from service.workers.jobs import enqueue_bot_turn, turn_name
from service.workers.ticker import move_due
from tests.workers.tables import found

ALL = frozenset(SHARDS)


def let_all_be_due(client: Redis) -> None:
    """As if every game had waited for long."""
    for shard in SHARDS:
        for game in cast(list[bytes], client.zrange(due_key(shard), 0, -1)):
            client.zadd(due_key(shard), {game: 1}, xx=True)


def due_at(parts: Services, game: GameId) -> float | None:
    return parts.client.zscore(due_key(shard_of(game)), game)


def queued(queue: Queue) -> list[str]:
    return [str(job_id).rpartition("-")[0] for job_id in queue.get_job_ids()]


def turn(position: Position) -> str:
    return turn_name(position.id, position.version)


def enqueue(queue: Queue, position: Position) -> None:
    assert enqueue_bot_turn(queue, position.id, position.version)


def test_a_game_whose_job_was_lost_is_revived(parts: Services, queue: Queue) -> None:
    game = found(parts.table, "bot", "bot")
    enqueue(queue, game)
    queue.connection.delete(*queue.connection.keys("rq:*"))
    let_all_be_due(parts.client)
    move_due(parts, queue, ALL)
    assert queued(queue) == [turn(game)]


def test_one_that_a_dead_worker_took_is_revived(parts: Services, queue: Queue) -> None:
    game = found(parts.table, "bot", "bot")
    enqueue(queue, game)
    queue.connection.lpop(queue.key)
    let_all_be_due(parts.client)
    move_due(parts, queue, ALL)
    assert queue.get_job_ids() == [f"{turn(game)}-1"]


def test_one_that_is_not_due_is_left_alone(parts: Services, queue: Queue) -> None:
    found(parts.table, "bot", "bot")
    move_due(parts, queue, ALL)
    assert queued(queue) == []


def test_a_backlog_doubles_no_job(parts: Services, queue: Queue) -> None:
    games = [found(parts.table, "bot", "bot", "bot") for _ in range(5)]
    for game in games:
        enqueue(queue, game)
    for _ in range(20):
        let_all_be_due(parts.client)
        move_due(parts, queue, ALL)
    assert sorted(queued(queue)) == sorted(map(turn, games))


def test_a_lost_job_is_replaced_once_however_often_it_is_due(parts: Services, queue: Queue) -> None:
    game = found(parts.table, "bot", "bot")
    for _ in range(20):
        let_all_be_due(parts.client)
        move_due(parts, queue, ALL)
    assert queued(queue) == [turn(game)]


def test_a_revived_game_is_not_due_at_once(parts: Services, queue: Queue) -> None:
    game = found(parts.table, "bot", "bot")
    let_all_be_due(parts.client)
    move_due(parts, queue, ALL)
    due = due_at(parts, game.id)
    assert due is not None
    assert due > parts.store.now() + BOT_TURN_GRACE / 2


def test_a_stale_job_in_the_queue_holds_nobody_up(parts: Services, queue: Queue) -> None:
    game = found(parts.table, "bot", "bot")
    enqueue(queue, game)
    take_bot_turns(parts.table, game.id, game.version, 0)
    let_all_be_due(parts.client)
    move_due(parts, queue, ALL)
    assert queued(queue) == [turn(game), turn(parts.table.look(game.id))]


def test_one_that_is_gone_is_forgotten(parts: Services, queue: Queue) -> None:
    game = found(parts.table, "bot", "bot")
    parts.client.delete(log_key(game.id))
    let_all_be_due(parts.client)
    move_due(parts, queue, ALL)
    assert due_at(parts, game.id) is None
    assert queued(queue) == []


def test_one_that_waits_for_a_person_is_looked_at_when_it_expires(
    parts: Services, queue: Queue
) -> None:
    game = found(parts.table, "me", "open")
    let_all_be_due(parts.client)
    move_due(parts, queue, ALL)
    assert due_at(parts, game.id) == expires_at(game)
    assert queued(queue) == []


def test_one_that_cannot_be_read_holds_nobody_up(
    parts: Services, queue: Queue, caplog: pytest.LogCaptureFixture
) -> None:
    games = [found(parts.table, "bot", "bot") for _ in range(3)]
    parts.client.xadd(log_key(games[1].id), {"e": b"no such event"})
    let_all_be_due(parts.client)
    move_due(parts, queue, ALL)
    assert sorted(queued(queue)) == sorted([turn(games[0]), turn(games[2])])
    assert games[1].id in caplog.text
    assert due_at(parts, games[1].id) is not None
