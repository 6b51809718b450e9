"""The frames of a game, folded, are the view at every version, whoever looks."""

from random import Random

import orjson
from hypothesis import given, settings

from events.vocabulary import Seat
from service.game.position import fold
from service.rules.house_rules import OptionValue
from service.views.event_view import frame
from service.views.public_event import log_hashes
from service.views.seat_view import seat_view
from tests.folding import Folded
from tests.options import games
from tests.scenario import GAME, random_game

Choice = tuple[int, dict[str, OptionValue], int]


@given(games())
@settings(max_examples=60, deadline=None)
def test_frames_folded_are_the_view_at_every_version(choice: Choice) -> None:
    players, rules, seed = choice
    log = random_game(Random(seed), players, rules, stop_after=200).log
    folds = {seat: Folded() for seat in (None, *map(Seat, range(players)))}
    hashes, before = list(log_hashes(GAME, log)), None
    for recorded in log:
        position = fold(GAME, (recorded,), before)
        assert position is not None
        for seat, folded in folds.items():
            told = frame(recorded, before, position, seat, hashes[recorded.version - 1])
            view = folded.take(orjson.loads(orjson.dumps(told)))
            assert view["view_hash"] == told["view_hash"] or view == seat_view(position, seat)
        before = position
