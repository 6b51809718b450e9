"""Actions a second through decide and evolve, beside OpenSpiel's euchre and RLCard's bridge."""

import time
from random import Random

from events.catalogue import Event
from events.vocabulary import Cause, GameId, PlayerId
from service.game.commands import Action, CreateGame, SeatWish
from service.game.decide import Chance, decide, legal_actions
from service.game.evolve import evolve
from service.game.founding import found
from service.game.refusals import Refusal
from service.game.state import Game, is_over

DECISIONS = 60_000


def run() -> None:
    """Print rates of decisions, each driven from Python on one core."""
    print(f"decide + evolve:              {_decide_and_evolve():>9,.0f} actions/s")
    print(f"with choosing a legal action: {_whole():>9,.0f} actions/s")
    for name, rate in (("OpenSpiel euchre", _openspiel), ("RLCard bridge", _rlcard)):
        try:
            print(f"{name + ':':<29} {rate():>9,.0f} decisions/s")
        except ImportError:
            print(f"{name}: not installed, not measured")


def _founded(seed: int) -> tuple[Game, Chance]:
    chance = Chance(Random(seed).randbytes(32), GameId("g_0bench"))
    wishes = (SeatWish("bot"),) * 4
    events = found(CreateGame(PlayerId("p_bench"), 4, wishes, {"target_score": 30}), chance)
    assert not isinstance(events, Refusal)
    game: Game | None = None
    for event in events:
        game = evolve(game, event)
    assert game is not None
    return game, chance


def _after(game: Game, events: tuple[Event, ...] | Refusal) -> Game:
    assert not isinstance(events, Refusal)
    for event in events:
        game = evolve(game, event)
    return game


def _decide_and_evolve() -> float:
    chance, done, taken = Random(1), 0, 0.0
    while done < DECISIONS:
        start, shuffles = _founded(done)
        game, actions = start, list[Action]()
        while not is_over(game) and len(actions) < 5000:
            actions.append(chance.choice(legal_actions(game)))
            game = _after(game, decide(game, actions[-1], shuffles, Cause.BOT))
        began, game = time.process_time(), start
        for action in actions:
            game = _after(game, decide(game, action, shuffles, Cause.BOT))
        taken += time.process_time() - began
        done += len(actions)
    return done / taken


def _whole() -> float:
    chance, done, began = Random(1), 0, time.process_time()
    while done < DECISIONS:
        game, shuffles = _founded(done)
        for _action in range(5000):
            if is_over(game):
                break
            action = chance.choice(legal_actions(game))
            game = _after(game, decide(game, action, shuffles, Cause.BOT))
            done += 1
    return done / (time.process_time() - began)


def _openspiel() -> float:
    import pyspiel

    chance, game, done = Random(1), pyspiel.load_game("euchre"), 0
    began = time.process_time()
    while done < DECISIONS:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(chance.choice(state.chance_outcomes())[0])
            else:
                state.apply_action(chance.choice(state.legal_actions()))
                done += 1
    return done / (time.process_time() - began)


def _rlcard() -> float:
    import rlcard

    chance, env, done = Random(1), rlcard.make("bridge"), 0
    began = time.process_time()
    while done < DECISIONS // 10:
        state, _player = env.reset()
        while not env.is_over():
            state, _player = env.step(chance.choice(list(state["legal_actions"])))
            done += 1
    return done / (time.process_time() - began)
