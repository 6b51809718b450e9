"""Whole games of bots without a server: every action goes through the decider, as at a table."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from events.vocabulary import BotLevel, Cause, GameId, PlayerId
from service.bots.strategy import choose, command_of, random_of
from service.bots.turn import bot_turn
from service.game.commands import CreateGame, SeatWish
from service.game.decide import Chance, decide
from service.game.evolve import evolve_all
from service.game.founding import found
from service.game.position import Position
from service.game.refusals import Refusal
from service.game.state import Finished
from service.rules.house_rules import OptionValue
from service.views.seat_view import match_of

GAME = GameId("g_0simulation")
NOBODY = PlayerId("p_simulation")
NO_COMMAND = bytes(8)


class GameResult(NamedTuple):
    """How a game of bots came out; `decisions` counts the actions of all seats."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    rounds: int
    decisions: int


class Refused(Exception):
    """The rules refuse the game that was asked for, or an action that a bot chose."""


def play_game(
    players: int,
    rules: Mapping[str, OptionValue],
    levels: Sequence[BotLevel],
    seed: int | str,
) -> GameResult:
    """A game played out by one bot a seat, always the same for the same seed; raises Refused."""
    position = start_game(players, rules, levels, seed)
    founding = position.version
    while not isinstance(position.game, Finished):
        position = take_turn(position)
    game = position.game
    last = game.match.last_round
    rounds = last.number if last else 0
    decisions = position.version - founding - (rounds - 1)
    return GameResult(game.match.scores, game.winners, rounds, decisions)


def play_round(
    players: int, rules: Mapping[str, OptionValue], levels: Sequence[BotLevel], seed: int | str
) -> tuple[int, ...]:
    """The points of each side in round 1; one seed deals the same cards to any bots."""
    position = start_game(players, rules, levels, seed)
    match = match_of(position.game)
    while match is None or match.last_round is None:
        position = take_turn(position)
        match = match_of(position.game)
    return match.last_round.points


def start_game(
    players: int, rules: Mapping[str, OptionValue], levels: Sequence[BotLevel], seed: int | str
) -> Position:
    """A game of bots, dealt and ready for its first call; raises Refused."""
    secret = sha256(str(seed).encode()).digest()
    wishes = tuple(SeatWish("bot", level=level) for level in levels)
    events = found(CreateGame(NOBODY, players, wishes, rules), Chance(secret, GAME))
    if isinstance(events, Refusal):
        raise Refused(events.detail)
    return Position(GAME, evolve_all(None, *events), len(events), NO_COMMAND, 0, 0, secret)


def take_turn(position: Position) -> Position:
    """The game after the bot on turn has acted; raises Refused if its choice was not legal."""
    turn = bot_turn(position)
    if turn is None:
        raise Refused("no bot is on turn")
    body = choose(turn.view, random_of(turn.decision_seed), turn.level)
    chance = Chance(position.seed, GAME)
    events = decide(position.game, command_of(body, turn.seat), chance, Cause.BOT)
    if isinstance(events, Refusal):
        raise Refused(events.detail)
    game = evolve_all(position.game, *events)
    return position._replace(game=game, version=position.version + len(events))
