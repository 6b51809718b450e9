"""The offline verifier finds nothing wrong in what was played, and every alteration of it."""

import copy
import io
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from events.catalogue import Clock
from events.memory_store import MemoryEventStore
from events.vocabulary import BotLevel, Cause, GameId, OnTimeout, PlayerId, Seat
from service.game.commands import (
    AbortGame,
    CreateGame,
    Expire,
    ExtendClock,
    GiveEntropy,
    LeaveSeat,
    SeatBot,
    SeatWish,
    TakeOver,
    TakeSeat,
)
from service.game.decide import legal_actions
from service.game.position import Position
from service.game.refusals import Refusal
from service.game.state import is_bots, is_over, seat_to_act
from service.table import Table
from service.views.replay_view import replay
from tests.options import every_combination
from tests.scenario import ALICE, BOB, CAROL, DAVE, Played, random_game
from tools.verify_replay import Fault, Unreadable, check, main

TOOL = Path(__file__).parents[2] / "tools" / "verify_replay.py"
GAMES_EACH = 200
Json = dict[str, Any]
TakenAs = tuple[str | int, ...]


def told(played: Played) -> Json:
    """The replay as a client gets it."""
    return json_of(replay(played.log, played.final, None))


def json_of(shape: Any) -> Json:
    made: Json = orjson.loads(orjson.dumps(shape))
    return made


@pytest.mark.parametrize("players", [2, 3, 4])
def test_games_under_all_rules_are_found_right(players: int) -> None:
    rng, combinations = random.Random(players), every_combination(players)
    rng.shuffle(combinations)
    for number in range(GAMES_EACH):
        rules = {**combinations[number % len(combinations)], "target_score": rng.choice([1, 1, 3])}
        check(told(random_game(rng, players, rules)))


def accepted(outcome: Position | Refusal) -> Position:
    assert isinstance(outcome, Position), outcome
    return outcome


class Eventful:
    """A game in which seats change hands, clocks run out and time is given back."""

    def __init__(self, seed: int) -> None:
        self.rng, self.table = random.Random(seed), Table(MemoryEventStore())
        clock = Clock(5, self.rng.choice([*OnTimeout]))
        wishes = (SeatWish("me"), SeatWish("open"), SeatWish("open"), SeatWish("open"))
        command = CreateGame(ALICE, 4, wishes, {"target_score": 5}, start="auto", clock=clock)
        self.game = accepted(self.table.create(command)).id

    def sit(self) -> None:
        """Everybody sits, some move, leave, or make way for a bot."""
        self.take(BOB, 1)
        self.take(BOB, 2)
        self.do(GiveEntropy(BOB, Seat(2), 'dice "4" \\ 2'))
        self.take(CAROL, 1)
        self.do(LeaveSeat(CAROL, Seat(1)))
        self.do(SeatBot(ALICE, Seat(1), BotLevel.NOVICE))
        self.take(DAVE, 3)

    def take(self, player: PlayerId, seat: int) -> None:
        self.do(TakeSeat(player, Seat(seat), is_bot=False, now=0, entropy=None))

    def do(self, command: Any, cause: Cause = Cause.PLAYER) -> None:
        accepted(self.table.act(self.game, command, cause=cause))

    def play(self) -> Json:
        """To the end, with something else happening now and then."""
        while not is_over((position := self.table.look(self.game)).game):
            self.disturb(position)
            position = self.table.look(self.game)
            seat = seat_to_act(position.game)
            assert seat is not None
            acts_by_bot = is_bots(position.game.setup.places[seat])
            cause = Cause.BOT if acts_by_bot else self.rng.choice([Cause.PLAYER, Cause.TIMEOUT])
            if cause is Cause.TIMEOUT and self.rng.random() < 0.2:
                self.table.act(self.game, TakeOver(seat), cause=cause)
                continue
            actions = legal_actions(position.game)
            timid = min(self.rng.randrange(len(actions)) for _draw in range(4))
            self.do(actions[timid], cause)
        return self.replay()

    def disturb(self, position: Position) -> None:
        happens = self.rng.random()
        if happens < 0.05:
            player = self.rng.choice([ALICE, BOB, DAVE])
            self.table.act(self.game, LeaveSeat(player, self.seat_of(position, player)))
        elif happens < 0.1:
            player = self.rng.choice([ALICE, BOB, DAVE])
            self.table.act(self.game, TakeSeat(player, None, is_bot=False, now=0))
        elif happens < 0.12:
            self.table.act(self.game, LeaveSeat(ALICE, Seat(self.rng.randrange(4))))
        elif happens < 0.14:
            self.table.act(self.game, TakeSeat(CAROL, None, is_bot=False, now=0))
        elif happens < 0.16:
            self.table.act(self.game, ExtendClock(1234), cause=Cause.SYSTEM)

    def seat_of(self, position: Position, player: PlayerId) -> Seat:
        places = position.game.setup.places
        return next(
            (Seat(at) for at, place in enumerate(places) if place.player == player), Seat(0)
        )

    def replay(self) -> Json:
        log, position = self.table.log(self.game), self.table.look(self.game)
        return json_of(replay(log, position, None))


def test_games_in_which_seats_change_hands_are_found_right() -> None:
    seen: set[str] = set()
    for seed in range(40):
        eventful = Eventful(seed)
        eventful.sit()
        whole = eventful.play()
        check(whole)
        seen |= {event["type"] for event in whole["events"]}
    assert {"seat_handed_over", "seat_taken_back", "seat_left", "clock_extended"} <= seen


@pytest.mark.parametrize("is_expired", [False, True])
def test_aborted_games_are_found_right(is_expired: bool) -> None:  # noqa: FBT001  (a parameter)
    eventful = Eventful(1)
    if is_expired:
        eventful.do(Expire(), Cause.TIMEOUT)
    else:
        eventful.sit()
        eventful.do(AbortGame(ALICE))
    check(eventful.replay())


def leaves(value: Any, path: TakenAs = ()) -> Iterator[TakenAs]:
    """The ways to every value that holds no other."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, held in inner:
        if isinstance(held, dict | list) and held:
            yield from leaves(held, (*path, key))
        else:
            yield (*path, key)


def altered(value: Any) -> Any:
    """Another value, as like this one as may be."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value[:-1] + ("1" if value.endswith("0") else "0")
    return 1 if value is None else [1]


def holder_of(whole: Any, path: TakenAs) -> Any:
    for key in path[:-1]:
        whole = whole[key]
    return whole


def originals() -> list[Json]:
    eventful = Eventful(3)
    eventful.sit()
    games = [random_game(random.Random(7), players, {"target_score": 2}) for players in (2, 3, 4)]
    return [eventful.play(), *map(told, games)]


@pytest.mark.parametrize("original", originals())
def test_no_field_can_be_altered(original: Json) -> None:
    check(original)
    missed = []
    for path in leaves(original):
        changed = copy.deepcopy(original)
        holder = holder_of(changed, path)
        holder[path[-1]] = altered(holder[path[-1]])
        try:
            check(changed)
        except (Fault, Unreadable):
            continue
        missed.append(path)
    assert missed == []


@pytest.mark.parametrize("original", originals())
def test_no_event_can_be_left_out_doubled_or_moved(original: Json) -> None:
    for at in range(len(original["events"])):
        for change in ("left out", "doubled", "moved"):
            changed = copy.deepcopy(original)
            events = changed["events"]
            event = events.pop(at)
            if change == "doubled":
                events[at:at] = [event, copy.deepcopy(event)]
            elif change == "moved":
                events.insert((at + 1) % len(original["events"]), event)
            for version, each in enumerate(events, 1):
                each["version"] = version
            with pytest.raises(Fault):
                check(changed)


def test_a_forger_who_makes_the_hash_anew_is_caught_by_the_rules() -> None:
    """What the first fault is called, where everything else of the file has been made to fit."""
    original = told(random_game(random.Random(11), 4, {"target_score": 3}))
    plays = [event for event in original["events"] if event["type"] == "card_played"]
    plays[0]["card"], plays[4]["card"] = plays[4]["card"], plays[0]["card"]
    with pytest.raises(Fault, match=f"^version {plays[0]['version']}, card_played: "):
        check(original)


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b"3",
        b'{"fairness": {"seed": null}}',
        b'{"fairness": {"seed": "zz"}}',
    ],
)
def test_what_is_no_replay_is_called_unreadable(document: bytes, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    file.write_bytes(document)
    assert main([str(file)]) == 2


def test_it_runs_alone_and_says_what_it_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    alone, whole = (
        tmp_path / "verify_replay.py",
        told(random_game(random.Random(5), 3, {"target_score": 3})),
    )
    alone.write_bytes(TOOL.read_bytes())
    run = [sys.executable, "-I", "-S", str(alone), "-"]
    said = subprocess.run(run, input=json.dumps(whole), capture_output=True, text=True, check=True)
    assert said.stdout.startswith(f"ok: {GameId(whole['id'])}, ")
    whole["scores"][0] += 1
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(whole)))
    assert main(["-"]) == 1
    assert "scores" in capsys.readouterr().out
    assert main([]) == 2
