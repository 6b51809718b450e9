"""A bot knows what its seat knows: other hidden cards never change what it does."""

import json
from copy import deepcopy
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from events.vocabulary import BotLevel, Seat
from service.bots.strategy import choose
from service.game.state import Acting, seat_to_act
from service.rules.house_rules import OptionValue
from service.views.seat_view import seat_view
from tests.bots.positions import position, redealt, view_on_turn
from tests.options import games
from tests.scenario import random_game

LEVELS = tuple(BotLevel)
Chosen = tuple[int, dict[str, OptionValue], int]


@settings(max_examples=150, deadline=None)
@given(games(), st.integers(8, 90), st.integers(0, 2**32))
def test_the_same_seed_chooses_the_same_whatever_is_hidden(
    chosen: Chosen, version: int, shuffle: int
) -> None:
    players, rules, seed = chosen
    at = random_game(Random(seed), players, rules, stop_after=version).final
    if not isinstance(at.game, Acting):
        return
    seat = seat_to_act(at.game)
    assert seat is not None
    swapped = redealt(at, seat, Random(shuffle))
    for level in LEVELS:
        kept = choose(seat_view(at, seat), Random(seed), level)
        assert choose(seat_view(swapped, seat), Random(seed), level) == kept


def test_the_swap_really_swaps_what_is_hidden() -> None:
    at = position({0: "JS JC AS KS QS TS"})
    swapped = redealt(at, Seat(0), Random(1))
    assert isinstance(at.game, Acting)
    assert isinstance(swapped.game, Acting)
    assert at.game.hands[0] == swapped.game.hands[0]
    assert at.game.hands[1:] != swapped.game.hands[1:]


def test_a_view_that_went_through_json_gives_the_same_choice_and_stays_as_it_was() -> None:
    view = view_on_turn(position({0: "JS JC AS KS 9D TH"}, "4 pass pass pass S"))
    before = deepcopy(view)
    for level in LEVELS:
        told = json.loads(json.dumps(view))
        assert choose(view, Random(7), level) == choose(told, Random(7), level)
    assert view == before
