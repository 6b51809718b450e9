"""Every choice of a bot is one of the view's legal actions, under every house rule."""

from random import Random

import pytest

from events.vocabulary import BotLevel, Cause, Seat
from service.bots.reading import NotOnTurn
from service.bots.strategy import choose, command_of
from service.game.decide import Chance, decide, legal_actions
from service.game.evolve import evolve
from service.game.position import Position
from service.game.refusals import Refusal
from service.game.state import is_over, seat_to_act
from service.rules.house_rules import OptionValue
from service.simulate import start_game, take_turn
from service.views.seat_view import legal_bodies, seat_view
from tests.bots.positions import position, redealt, view_on_turn
from tests.options import every_combination

LEVELS = tuple(BotLevel)


def stray(at: Position, rng: Random) -> Position:
    """The game after any legal action, so that bots meet positions of other players' making."""
    chance = Chance(at.seed, at.id)
    decision = decide(at.game, rng.choice(legal_actions(at.game)), chance, Cause.BOT)
    assert not isinstance(decision, Refusal), decision
    game = at.game
    for event in decision:
        game = evolve(game, event)
    return at._replace(game=game, version=at.version + len(decision))


def assert_every_choice_is_legal(players: int, rules: dict[str, OptionValue], seed: int) -> None:
    rng = Random(seed)
    at = start_game(players, {**rules, "target_score": 1}, [BotLevel.CLUB] * players, seed)
    for _ in range(120):
        if is_over(at.game):
            return
        view, legal = view_on_turn(at), legal_bodies(at.game)
        for level in LEVELS:
            assert choose(view, Random(seed), level) in legal
        at = stray(at, rng) if rng.random() < 0.4 else take_turn(at)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_choice_is_legal_under_every_combination_of_house_rules(players: int) -> None:
    for seed, rules in enumerate(every_combination(players)):
        assert_every_choice_is_legal(players, rules, seed)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("level", LEVELS)
def test_a_dealer_who_must_bid_does_whatever_the_cards(level: BotLevel, players: int) -> None:
    passes = "pass " * (players - 1)
    dealt = position({}, passes, players=players, dealer=players - 1)
    for seed in range(100):
        at = redealt(dealt, Seat(0), Random(seed))
        assert choose(view_on_turn(at), Random(seed), level)["type"] == "bid"


@pytest.mark.parametrize("level", LEVELS)
def test_a_choice_becomes_the_command_of_its_seat(level: BotLevel) -> None:
    at = position({0: "JS JC AS KS QS TS"})
    command = command_of(choose(view_on_turn(at), Random(1), level), Seat(0))
    assert command in legal_actions(at.game)


def test_who_is_not_on_turn_cannot_choose() -> None:
    at = position({})
    assert seat_to_act(at.game) == 0
    for seat in (Seat(1), None):
        with pytest.raises(NotOnTurn):
            choose(seat_view(at, seat), Random(1), BotLevel.CLUB)
