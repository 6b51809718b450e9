"""The job that plays bots' turns: safe to run twice, late, or with a broken bot."""

import re
from collections.abc import Callable
from typing import Any, NoReturn

import pytest
from rq import Queue

from events.redis_store import log_key
from events.vocabulary import CARDS, Cause, GameId
from service.bots.strategy import choose
from service.game.decide import decide, legal_actions
from service.game.state import is_bot_turn, seat_to_act
from service.wiring import Services
from service.workers import bot_turn
from service.workers.bot_turn import play_bot_turns, take_bot_turns
from service.workers.jobs import enqueue_bot_turn, turn_name
from service.workers.worker import worker_on
from tests.scenario import CHANCE
from tests.workers.tables import (
    act_for_host,
    by_bots,
    found,
    is_finished,
    waiting_for_bot,
    waiting_for_host,
)

FOR_EVER = 60.0
SECRET = "the jack of trumps is at seat 2: JS"


def break_bots(monkeypatch: pytest.MonkeyPatch, fault: type[BaseException]) -> None:
    """Make every strategy raise.

    No test can make a real strategy fail (it would be a fault to repair), so it is replaced.
    """

    def broken(*_arguments: object) -> NoReturn:
        raise fault(SECRET)

    monkeypatch.setattr(bot_turn, "choose", broken)


def test_bots_alone_play_to_the_end(parts: Services) -> None:
    game = found(parts.table, "bot", "bot", "bot", "bot")
    assert take_bot_turns(parts.table, game.id, game.version, FOR_EVER) is None
    assert is_finished(parts.table, game.id)


def test_bots_stop_where_a_person_is_on_turn(parts: Services) -> None:
    game = waiting_for_bot(parts.table)
    assert take_bot_turns(parts.table, game.id, game.version, FOR_EVER) is None
    after = parts.table.look(game.id)
    assert after.version > game.version
    assert not is_bot_turn(after.game)


def test_run_twice_it_plays_once(parts: Services) -> None:
    game = waiting_for_bot(parts.table)
    take_bot_turns(parts.table, game.id, game.version, FOR_EVER)
    once = parts.table.look(game.id)
    take_bot_turns(parts.table, game.id, game.version, FOR_EVER)
    assert parts.table.look(game.id) == once


@pytest.mark.parametrize("off", [-1, 1])
def test_another_version_is_not_played(parts: Services, off: int) -> None:
    game = waiting_for_bot(parts.table)
    assert take_bot_turns(parts.table, game.id, game.version + off, FOR_EVER) is None
    assert parts.table.look(game.id) == game


def test_no_bot_plays_for_a_person(parts: Services) -> None:
    game = waiting_for_host(parts.table)
    assert take_bot_turns(parts.table, game.id, game.version, FOR_EVER) is None
    assert parts.table.look(game.id) == game


def test_an_unknown_game_is_nothing_to_do(parts: Services) -> None:
    assert take_bot_turns(parts.table, GameId("g_0nobody"), 1, FOR_EVER) is None


def test_a_choice_made_too_late_is_not_played(
    parts: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = found(parts.table, "bot", "bot")
    versions = [game.version]

    def choose_while_another_worker_plays(*arguments: Any) -> object:
        monkeypatch.setattr(bot_turn, "choose", choose)
        while len(versions) == 1 or not is_same_bots_turn():
            version = take_bot_turns(parts.table, game.id, versions[-1], 0)
            assert version is not None
            versions.append(version)
        return choose(*arguments)

    def is_same_bots_turn() -> bool:
        return seat_to_act(parts.table.look(game.id).game) == seat_to_act(game.game)

    monkeypatch.setattr(bot_turn, "choose", choose_while_another_worker_plays)
    assert take_bot_turns(parts.table, game.id, game.version, FOR_EVER) is None
    assert len(versions) > 1
    assert parts.table.look(game.id).version == versions[-1]


def test_every_bot_event_is_marked_as_a_bots(parts: Services) -> None:
    game = found(parts.table, "bot", "bot")
    take_bot_turns(parts.table, game.id, game.version, FOR_EVER)
    assert by_bots(list(parts.table.log(game.id))) > 0


def names_card(text: str) -> bool:
    """Whether a card's spelling stands in a text."""
    return bool(re.search(rf"\b({'|'.join(CARDS)})\b", text))


@pytest.mark.parametrize(
    "fault", [ZeroDivisionError, AssertionError, IndexError, RecursionError, StopIteration]
)
def test_a_bot_that_fails_plays_the_simplest_legal_action(
    parts: Services,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: type[Exception],
) -> None:
    break_bots(monkeypatch, fault)
    game = waiting_for_bot(parts.table)
    simplest = decide(game.game, legal_actions(game.game)[0], CHANCE, Cause.BOT)
    take_bot_turns(parts.table, game.id, game.version, 0)
    assert isinstance(simplest, tuple)
    assert parts.table.log(game.id)[game.version].event == simplest[0]
    assert f"bot failed: {fault.__name__}" in caplog.text
    assert SECRET not in caplog.text


def test_games_end_though_every_bot_fails(
    parts: Services, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    break_bots(monkeypatch, ValueError)
    game = found(parts.table, "bot", "bot", "bot")
    take_bot_turns(parts.table, game.id, game.version, FOR_EVER)
    assert is_finished(parts.table, game.id)
    assert not names_card(caplog.text.replace(game.id, ""))


def test_an_illegal_choice_becomes_the_simplest_action(
    parts: Services, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    card_in_the_auction = {"type": "play_card", "card": "JS"}
    monkeypatch.setattr(bot_turn, "choose", lambda *_: card_in_the_auction)
    game = waiting_for_bot(parts.table)
    take_bot_turns(parts.table, game.id, game.version, 0)
    assert parts.table.look(game.id).version > game.version
    assert "bot refused" in caplog.text
    assert not names_card(caplog.text.replace(game.id, ""))


def test_time_that_is_up_gives_the_version_to_go_on_from(parts: Services) -> None:
    game = found(parts.table, "bot", "bot")
    waiting = take_bot_turns(parts.table, game.id, game.version, 0)
    assert waiting is not None
    assert waiting == parts.table.look(game.id).version > game.version


@pytest.mark.usefixtures("work")
def test_a_job_whose_time_is_up_queues_its_game_again(
    parts: Services, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_turn, "LONGEST_JOB", 0.0)
    game = found(parts.table, "bot", "bot")
    play_bot_turns(game.id, game.version)
    after = parts.table.look(game.id)
    assert after.version > game.version
    assert queue.get_job_ids() == [f"{turn_name(game.id, after.version)}-0"]


def test_jobs_of_no_time_hand_a_game_on_to_its_end(
    parts: Services, queue: Queue, work: Callable[[], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_turn, "LONGEST_JOB", 0.0)
    game = found(parts.table, "bot", "bot")
    enqueue_bot_turn(queue, game.id, game.version)
    work()
    assert is_finished(parts.table, game.id)
    assert queue.count == 0


@pytest.mark.usefixtures("work")
def test_a_game_that_cannot_be_read_fails_its_job_alone_and_names_no_card(
    parts: Services, queue: Queue, caplog: pytest.LogCaptureFixture
) -> None:
    bad, good = found(parts.table, "bot", "bot"), found(parts.table, "bot", "bot")
    unreadable = bytes(14) + b"BC0JS JS"
    parts.client.xadd(log_key(bad.id), {"e": unreadable}, id=f"{bad.version + 1}-0")
    for game in (bad, good):
        enqueue_bot_turn(queue, game.id, game.version)
    worker_on(queue).work(burst=True, logging_level="INFO")
    assert is_finished(parts.table, good.id)
    assert queue.count == 0
    assert "CorruptEntry" in caplog.text
    assert not names_card(caplog.text.replace(bad.id, "").replace(good.id, ""))


def test_bots_go_on_after_a_person(parts: Services, queue: Queue, work: Callable[[], bool]) -> None:
    after = act_for_host(parts.table, waiting_for_host(parts.table))
    enqueue_bot_turn(queue, after.id, after.version)
    work()
    assert parts.table.look(after.id).version > after.version


def test_handing_on_many_times_keeps_few_connections(
    parts: Services, queue: Queue, work: Callable[[], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_turn, "LONGEST_JOB", 0.0)
    before = len(parts.client.client_list())
    game = found(parts.table, "bot", "bot", "bot", "bot")
    enqueue_bot_turn(queue, game.id, game.version)
    work()
    assert parts.table.look(game.id).version > game.version + 20
    assert len(parts.client.client_list()) < before + 10
