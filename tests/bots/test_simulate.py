"""Whole games of bots through the decider."""

import pytest

from events.vocabulary import BotLevel
from service.simulate import Refused, play_game, play_round

CLUB = BotLevel.CLUB


@pytest.mark.parametrize(("players", "sides"), [(2, 2), (3, 3), (4, 2)])
def test_a_game_ends_with_a_winner_at_the_target(players: int, sides: int) -> None:
    result = play_game(players, {}, [CLUB] * players, 1)
    assert len(result.scores) == sides
    assert max(result.scores) >= 30
    assert result.winners == tuple(
        side for side, score in enumerate(result.scores) if score == max(result.scores)
    )


def test_every_action_is_counted_and_no_deal() -> None:
    result = play_game(2, {"target_score": 1, "auction": "single_round"}, [CLUB] * 2, 3)
    assert result.decisions == result.rounds * (2 + 1 + 16)


def test_one_seed_plays_one_game() -> None:
    levels = [CLUB, BotLevel.NOVICE, CLUB, BotLevel.NOVICE]
    assert play_game(4, {}, levels, 5) == play_game(4, {}, levels, 5)
    assert play_game(4, {}, levels, 5) != play_game(4, {}, levels, 6)


def test_a_round_is_the_first_of_its_game() -> None:
    assert play_round(3, {}, [CLUB] * 3, 4) == play_round(3, {"target_score": 1}, [CLUB] * 3, 4)


def test_rules_that_no_game_has_are_refused() -> None:
    with pytest.raises(Refused, match="pepper_alone"):
        play_game(3, {"pepper_alone": True}, [CLUB] * 3, 1)
