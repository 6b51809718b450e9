"""What holds in every game of every option, whatever is played."""

from random import Random

from hypothesis import given, settings

from events import codec
from events.vocabulary import CARDS, Bid, Card, Cause, Seat, Trump
from service.game.commands import Action, MakeBid, NameTrump, Pass, PlayCard
from service.game.decide import Chance, decide, legal_actions
from service.game.position import fold
from service.game.state import Acting, Finished, Game, is_bots, seat_to_act
from service.rules.house_rules import OptionValue
from tests.options import every_combination, games
from tests.scenario import GAME, SEED, random_game

ALL_CARDS = (1 << len(CARDS)) - 1
Choice = tuple[int, dict[str, OptionValue], int]


@given(games())
@settings(max_examples=60, deadline=None)
def test_stored_and_folded_equals_played(choice: Choice) -> None:
    players, rules, seed = choice
    played = random_game(Random(seed), players, rules)
    stored = [entry._replace(event=codec.decode(codec.encode(entry.event))) for entry in played.log]
    assert fold(GAME, stored) == played.final
    assert isinstance(played.final.game, Finished)


def _cards(game: Game) -> list[int]:
    assert isinstance(game, Acting)
    on_table = [sum(1 << card for card in getattr(game, "plays", ()))]
    taken = [sum(1 << card for card in trick.cards) for trick in getattr(game, "tricks", ())]
    return [*game.hands, game.dealt.dead_hand, *on_table, *taken]


@given(games())
@settings(max_examples=30, deadline=None)
def test_no_card_is_lost_or_doubled_at_any_version(choice: Choice) -> None:
    players, rules, seed = choice
    played = random_game(Random(seed), players, rules)
    position = None
    for entry in played.log:
        position = fold(GAME, (entry,), position)
        assert position is not None
        if isinstance(position.game, Acting):
            assert sum(_cards(position.game)) == ALL_CARDS


def every_action(seat: Seat) -> list[Action]:
    return [
        Pass(seat),
        *(MakeBid(seat, bid) for bid in Bid),
        *(NameTrump(seat, trump) for trump in Trump),
        *(PlayCard(seat, card) for card in Card),
    ]


@given(games())
@settings(max_examples=40, deadline=None)
def test_exactly_the_legal_actions_are_accepted(choice: Choice) -> None:
    players, rules, seed = choice
    chance = Chance(SEED, GAME)
    played = random_game(Random(seed), players, rules)
    game = played.at(Random(seed).randint(1, len(played.log))).game
    legal = set(legal_actions(game))
    for seat in range(players):
        cause = Cause.BOT if is_bots(game.setup.places[seat]) else Cause.PLAYER
        accepted = {
            action
            for action in every_action(Seat(seat))
            if isinstance(decide(game, action, chance, cause), tuple)
        }
        assert accepted == (legal if seat == seat_to_act(game) else set())


def test_a_game_of_every_combination_ends() -> None:
    for players in (2, 3, 4):
        for rules in every_combination(players):
            played = random_game(Random(7), players, {**rules, "target_score": 1})
            assert isinstance(played.final.game, Finished), rules
