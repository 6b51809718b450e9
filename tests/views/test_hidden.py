"""What a viewer cannot see changes nothing that the viewer receives, hashes and bots included."""

import hmac
import re
from hashlib import sha256
from random import Random

import orjson
import pytest
from hypothesis import given, settings

from events.catalogue import GameCreated, RoundDealt
from events.store import Recorded
from events.vocabulary import BotLevel, Hand, PlayerId, Seat, cards_in
from service.bots.strategy import choose, random_of
from service.game.position import Position, fold
from service.game.state import Acting, seat_to_act, sitting_out
from service.rules.house_rules import OptionValue
from service.views.event_view import frames
from service.views.replay_view import replay
from service.views.seat_view import match_of, seat_view
from tests.options import games
from tests.scenario import ALICE, GAME, Played, random_game

Choice = tuple[int, dict[str, OptionValue], int]
OTHER_SEED = b"another seed of thirty-two bytes"
HASH_OF_SEED = ("commitment", "seed")


def running_position(choice: Choice) -> tuple[Played, Position]:
    """A game cut off while somebody is on turn."""
    players, rules, seed = choice
    chance = Random(seed)
    played = random_game(chance, players, rules, stop_after=chance.randint(10, 120))
    for version in range(len(played.log), 0, -1):
        position = played.at(version)
        if isinstance(position.game, Acting):
            return Played(played.log[:version]), position
    raise AssertionError("a game begins with a deal")


def reshuffled(position: Position, viewer: Seat | None, chance: Random) -> Position:
    """The same position with every card that the viewer cannot see somewhere else."""
    game = position.game
    assert isinstance(game, Acting)
    hands = [*game.hands, game.dealt.dead_hand]
    hidden = [seat for seat in range(len(hands)) if seat != viewer]
    pool = [card for seat in hidden for card in cards_in(hands[seat])]
    chance.shuffle(pool)
    for seat in hidden:
        count = hands[seat].bit_count()
        dealt, pool = pool[:count], pool[count:]
        hands[seat] = Hand(sum(1 << card.number for card in dealt))
    moved = game._replace(hands=tuple(hands[:-1]), dealt=game.dealt._replace(dead_hand=hands[-1]))
    return position._replace(game=moved, seed=OTHER_SEED)


@given(games())
@settings(max_examples=150, deadline=None)
def test_a_view_and_its_hash_ignore_what_the_viewer_cannot_see(choice: Choice) -> None:
    _log, position = running_position(choice)
    chance = Random(choice[2])
    for viewer in (None, *map(Seat, range(choice[0]))):
        if viewer is not None and viewer == seat_to_act(position.game):
            continue
        assert seat_view(reshuffled(position, viewer, chance), viewer) == seat_view(
            position, viewer
        )


@given(games())
@settings(max_examples=100, deadline=None)
def test_the_seat_on_turn_and_its_bot_ignore_it_too(choice: Choice) -> None:
    _log, position = running_position(choice)
    seat = seat_to_act(position.game)
    assert seat is not None
    moved = seat_view(reshuffled(position, seat, Random(choice[2])), seat)
    assert moved == seat_view(position, seat)
    for level in BotLevel:
        chosen = [choose(seat_view(at, seat), random_of(b"d"), level) for at in (
            position, reshuffled(position, seat, Random(choice[2]))
        )]  # fmt: skip
        assert chosen[0] == chosen[1]


def with_other_cards(log: list[Recorded], viewer: Seat | None, chance: Random) -> list[Recorded]:
    """The log with what the viewer cannot see of the last deal swapped, as far as play allows."""
    position = fold(GAME, log)
    assert position is not None
    assert isinstance(position.game, Acting)
    moved = reshuffled(position, viewer, chance).game
    assert isinstance(moved, Acting)
    last = max(i for i, entry in enumerate(log) if isinstance(entry.event, RoundDealt))
    dealt = log[last].event
    assert isinstance(dealt, RoundDealt)
    hands = tuple(
        Hand(before - now + then)
        for before, now, then in zip(dealt.hands, position.game.hands, moved.hands, strict=True)
    )
    other = RoundDealt(dealt.dealer, hands, moved.dealt.dead_hand)
    return [*log[:last], log[last]._replace(event=other), *log[last + 1 :]]


def bytes_received(log: list[Recorded], viewer: PlayerId | None) -> bytes:
    """Everything that events and replay give a viewer, without the hash that a seed seals."""
    shown = [dict(frame) for frame in frames(GAME, log, viewer, 0, len(log))]
    for frame in shown:
        del frame["log_hash"]
    now = fold(GAME, log)
    assert now is not None
    whole = dict(replay(log, now, viewer))
    del whole["log_hash"]
    return orjson.dumps([shown, whole])


@given(games())
@settings(max_examples=40, deadline=None)
def test_frames_and_replays_of_a_running_game_ignore_it(choice: Choice) -> None:
    played, _position = running_position(choice)
    chance = Random(choice[2])
    for viewer, seat in ((None, None), (ALICE, Seat(0))):
        other = with_other_cards(played.log, seat, chance)
        assert bytes_received(other, viewer) == bytes_received(played.log, viewer)


def test_the_log_hash_needs_the_seed() -> None:
    """Same cards, other seed: another hash; so nobody without the seed can test a guess."""
    played = random_game(Random(3), 4, {"target_score": 1}, stop_after=20)
    created = played.log[0].event
    assert isinstance(created, GameCreated)
    sealed = frames(GAME, played.log, None, len(played.log) - 1, 1)[0]["log_hash"]
    values = {field: getattr(created, field) for field in GameCreated.__slots__}
    forged = GameCreated(**{**values, "seed": OTHER_SEED})
    guessed = [played.log[0]._replace(event=forged), *played.log[1:]]
    assert frames(GAME, guessed, None, len(played.log) - 1, 1)[0]["log_hash"] != sealed


@pytest.mark.parametrize("players", [2, 3, 4])
def test_no_state_holds_the_seed(players: int) -> None:
    played = random_game(Random(5), players, {"target_score": 1})
    position = None
    for entry in played.log[:-1]:
        position = fold(GAME, (entry,), position)
        assert position is not None
        assert position.seed.hex() not in repr(position.game)
        assert repr(position.seed)[2:-1] not in repr(position.game)
        assert seat_view(position, Seat(0))["fairness"]["seed"] is None
    assert seat_view(played.final, None)["fairness"]["seed"] == played.final.seed.hex()


def test_who_sits_out_a_pepper_shows_nothing_until_the_end() -> None:
    chance = Random(1)
    for seed in range(200):
        rules: dict[str, OptionValue] = {"pepper_alone": True}
        played = random_game(Random(seed), 4, rules, stop_after=40)
        for version in range(1, len(played.log)):
            position = played.at(version)
            out = sitting_out(position.game)
            match = match_of(position.game)
            if out is not None and match is not None:
                view = seat_view(reshuffled(position, Seat((out + 1) % 4), chance), None)
                assert view == seat_view(position, None)
                return
    pytest.fail("no pepper was played alone")


def digests(value: object, name: str = "") -> set[tuple[str, str]]:
    """Every hash-like value of an answer, with the name of its field."""
    if isinstance(value, dict):
        return {found for key, inner in value.items() for found in digests(inner, str(key))}
    if isinstance(value, list | tuple):
        return {found for inner in value for found in digests(inner, name)}
    is_digest = isinstance(value, str) and re.fullmatch(r"[0-9a-f]{16,}", value) is not None
    return {(name, str(value))} if is_digest else set()


def guesses(log: list[Recorded]) -> set[str]:
    """Digests that somebody who guesses the true deal can compute without the seed."""
    deal = next(entry.event for entry in log if isinstance(entry.event, RoundDealt))
    hands = [list(cards_in(hand)) for hand in (*deal.hands, deal.dead_hand)]
    forms = [orjson.dumps(form) for form in (hands, hands[:-1], *hands)]
    keyless = [sha256(form).hexdigest() for form in forms]
    tagged = [sha256(b"deal" + form).hexdigest() for form in forms]
    empty_key = [hmac.new(b"", b"deal" + form, "sha256").hexdigest() for form in forms]
    return {*keyless, *tagged, *empty_key}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_hash_that_is_received_is_known_and_confirms_no_guess(players: int) -> None:
    """A new hash-like field fails here until somebody has thought about what it gives away."""
    played = random_game(Random(11), players, {"target_score": 30}, stop_after=25)
    for viewer in (None, ALICE):
        shown: list[object] = [
            *frames(GAME, played.log, viewer, 0, 25),
            replay(played.log, played.final, viewer),
        ]
        shown.append(seat_view(played.final, Seat(0) if viewer else None))
        found = digests(shown)
        assert {name for name, _value in found} == {"commitment", "view_hash", "log_hash"}
        assert not {value for _name, value in found} & guesses(played.log)
