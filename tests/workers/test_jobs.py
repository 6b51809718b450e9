"""Jobs of bot turns: ours or none, once a turn, and nothing in them but the turn."""

from pathlib import Path
from typing import Any

import pytest
from rq import Callback, Queue

from events.vocabulary import GameId
from service.workers.jobs import (
    PLAY_BOT_TURNS,
    AllowedJob,
    enqueue_bot_turn,
    enqueue_next_attempt,
    queued_turns,
)
from tests.workers.conftest import Work

GAME = GameId("g_0jobsjobsjobsjobs")
CALLED: list[str] = []


def call_back(job: AllowedJob, *_details: Any) -> None:
    CALLED.append(job.id)


def ids(queue: Queue) -> list[str]:
    return [str(job_id) for job_id in queue.get_job_ids()]


def test_a_job_that_is_not_ours_fails_and_does_nothing(
    queue: Queue, work: Work, tmp_path: Path
) -> None:
    trace = tmp_path / "trace"
    job = queue.enqueue_call("os.system", args=(f"touch {trace}",), failure_ttl=60)
    work()
    assert not trace.exists()
    assert job.get_status() == "failed"
    result = job.latest_result()
    assert result is not None
    assert "PermissionError: os.system is not an allowed job" in str(result.exc_string)


def test_the_log_names_a_failed_job_but_not_its_arguments(
    queue: Queue, work: Work, caplog: pytest.LogCaptureFixture
) -> None:
    job = queue.enqueue_call("os.system", args=("exit JS",), description="JS", failure_ttl=60)
    work()
    (line,) = [record for record in caplog.records if record.name == "service.workers.worker"]
    assert line.getMessage() == f"job failed: {job.id}"
    assert line.exc_info
    assert line.exc_info[0] is PermissionError


@pytest.mark.parametrize("function", ["os.system", PLAY_BOT_TURNS])
def test_callbacks_of_a_job_are_never_called(queue: Queue, work: Work, function: str) -> None:
    CALLED.clear()
    callback = Callback(f"{__name__}.call_back")
    arguments = (GAME, 1) if function == PLAY_BOT_TURNS else ("true",)
    queue.enqueue_call(function, args=arguments, on_success=callback, on_failure=callback)
    work()
    assert len(queue) == 0
    assert CALLED == []


def test_a_turn_is_queued_once(queue: Queue) -> None:
    assert enqueue_bot_turn(queue, GAME, 7)
    assert not enqueue_bot_turn(queue, GAME, 7)
    assert ids(queue) == [f"bot-turn-{GAME}-7-0"]


def test_another_turn_of_the_game_is_another_job(queue: Queue) -> None:
    enqueue_bot_turn(queue, GAME, 7)
    enqueue_bot_turn(queue, GAME, 8)
    assert queued_turns(queue) == {f"bot-turn-{GAME}-7", f"bot-turn-{GAME}-8"}


def test_the_next_attempt_has_the_next_number(queue: Queue) -> None:
    assert enqueue_next_attempt(queue, GAME, 7) == 0
    assert enqueue_next_attempt(queue, GAME, 7) == 1
    assert ids(queue) == [f"bot-turn-{GAME}-7-0", f"bot-turn-{GAME}-7-1"]
    assert queued_turns(queue) == {f"bot-turn-{GAME}-7"}


def test_a_turn_may_be_queued_again_once_its_job_has_run(queue: Queue, work: Work) -> None:
    enqueue_bot_turn(queue, GAME, 7)
    work()
    assert enqueue_bot_turn(queue, GAME, 7)


def test_a_job_says_which_turn_it_is_and_nothing_else(queue: Queue) -> None:
    enqueue_bot_turn(queue, GAME, 7)
    job = queue.fetch_job(f"bot-turn-{GAME}-7-0")
    assert job is not None
    assert (job.func_name, job.args, job.kwargs) == (PLAY_BOT_TURNS, [GAME, 7, 0], {})
    assert job.description == job.id
