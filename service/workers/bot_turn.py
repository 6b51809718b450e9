"""The job that plays bots' turns: all consecutive ones of a game, each its own append."""

import logging
import time
import traceback
from collections.abc import Callable
from functools import cache

from rq import Queue
from rq.timeouts import JobTimeoutException

from events.vocabulary import Cause, GameId, OnTimeout
from service.bots.strategy import choose, command_of, random_of
from service.bots.turn import BotTurn, bot_turn
from service.game.clocks import deadline
from service.game.commands import Action, TakeOver
from service.game.decide import legal_actions
from service.game.position import Position
from service.game.refusals import Refusal
from service.game.state import seat_to_act
from service.settings import settings_from_environment
from service.table import GameUnknown, Table, VersionMismatch
from service.wiring import Services, queue_client, services
from service.workers.jobs import bot_queue, enqueue_bot_turn

GIVEN_UP_AT = 2
"""After so many jobs of one turn that came to nothing no bot thinks about it any more."""

LONGEST_JOB = 1.0
"""Seconds after which a job queues its game again, so that others have their turn."""

BOT_FAULTS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    JobTimeoutException,
    LookupError,
    RuntimeError,
    StopIteration,
    TypeError,
    ValueError,
)
"""What a strategy may raise, or how it is stopped when it thinks for ever."""

log = logging.getLogger(__name__)


@cache
def process_services() -> Services:
    """This worker's parts, built once."""
    return services(settings_from_environment())


@cache
def process_queue() -> Queue:
    """This worker's door to the queue, built once."""
    return bot_queue(queue_client(process_services().settings))


def play_bot_turns(game: str, version: int, attempt: int = 0) -> None:
    """Play while bots are on turn. Run twice, or late, it does nothing that is not due."""
    table = process_services().table
    is_hopeless = attempt >= GIVEN_UP_AT
    waiting = take_bot_turns(table, GameId(game), version, LONGEST_JOB, is_hopeless=is_hopeless)
    if waiting is not None:
        enqueue_bot_turn(process_queue(), GameId(game), waiting)


def take_bot_turns(
    table: Table, game: GameId, version: int, seconds: float, *, is_hopeless: bool = False
) -> int | None:
    """Take bots' turns from a version on; the version where time ran out with a bot on turn.

    The first turn is a person's if their time is over. It gets the simplest legal action if it
    `is_hopeless`: whoever tried it before did not survive it.
    """
    until = time.monotonic() + seconds
    turn = _due_turn(table, game, version)
    choose_action = _given_up if is_hopeless else chosen
    while turn is not None:
        if not _take(table, turn, choose_action):
            return None
        choose_action = chosen
        turn = bot_turn(table.look(game))
        if turn is not None and time.monotonic() > until:
            return turn.position.version
    return None


def _due_turn(table: Table, game: GameId, version: int) -> BotTurn | None:
    try:
        position = table.look(game)
    except GameUnknown:
        return None
    if position.version != version:
        return None
    ends = deadline(position)
    if ends is None or ends > table.now():
        return bot_turn(position)
    return _late_turn(table, position)


def _late_turn(table: Table, position: Position) -> BotTurn | None:
    """A person's turn whose time is over; a seat that goes to a bot has gone to it."""
    seat, clock = seat_to_act(position.game), position.game.setup.clock
    if seat is None or clock is None or clock.on_timeout is OnTimeout.BOT_PLAYS:
        return bot_turn(position, is_late=True)
    try:
        outcome = table.act(
            position.id, TakeOver(seat), cause=Cause.TIMEOUT, expected=position.version
        )
    except VersionMismatch:
        return None
    return None if isinstance(outcome, Refusal) else bot_turn(outcome)


def _take(table: Table, turn: BotTurn, choose_action: Callable[[BotTurn], Action]) -> bool:
    try:
        outcome = _act(table, turn, choose_action(turn))
        if isinstance(outcome, Refusal):
            log.error(
                "bot refused: %s, game %s version %d",
                outcome.reason,
                turn.position.id,
                turn.position.version,
            )
            outcome = _act(table, turn, simplest(turn))
        return not isinstance(outcome, Refusal)
    except VersionMismatch:
        return False


def _act(table: Table, turn: BotTurn, action: Action) -> object:
    return table.act(turn.position.id, action, cause=turn.cause, expected=turn.position.version)


def chosen(turn: BotTurn) -> Action:
    """What the bot chooses from its view; the simplest legal action if its engine fails."""
    try:
        body = choose(turn.view, random_of(turn.decision_seed), turn.level)
        return command_of(body, turn.seat)
    except BOT_FAULTS as fault:
        where = traceback.extract_tb(fault.__traceback__)[-1]
        log.error(  # not the message: it could name cards
            "bot failed: %s in %s line %s, game %s version %d",
            type(fault).__name__,
            where.name,
            where.lineno,
            turn.position.id,
            turn.position.version,
        )
        return simplest(turn)


def _given_up(turn: BotTurn) -> Action:
    log.error(
        "bot given up: %d jobs died of game %s version %d",
        GIVEN_UP_AT,
        turn.position.id,
        turn.position.version,
    )
    return simplest(turn)


def simplest(turn: BotTurn) -> Action:
    """The first legal action."""
    return legal_actions(turn.position.game)[0]
