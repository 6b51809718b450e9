"""Packs: a log goes in and comes out to the byte, damage is loud, old formats stay readable."""

from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.codec import CorruptEntry, decode, encode
from events.packs import head_of, pack, unpack
from events.store import COMMAND_ID_BYTES, Head, Recorded
from service.game.position import fold
from service.rules.house_rules import OptionValue
from tests.options import every_combination, games
from tests.scenario import GAME, random_game

RECORDED = Path(__file__).parent.parent / "logs" / "packed-1.txt"
"""A game of format 1: the pack as hexadecimal digits, then the lines of `listed`."""


def stored(log: list[Recorded], rng: Random) -> list[bytes]:
    """A log as a stream holds it, times and commands as of a real game."""
    at, values, command_id = 1_760_000_000_000, [], b""
    for entry in log:
        if rng.random() < 0.9 or not command_id:
            command_id, at = rng.randbytes(COMMAND_ID_BYTES), at + rng.choice((0, 7, 900, 90_000))
        cause = entry.cause.value.encode()
        values.append(command_id + at.to_bytes(6, "big") + cause + encode(entry.event))
    return values


def begin_appends(values: list[bytes]) -> list[bool]:
    ids = [b"", *(value[:COMMAND_ID_BYTES] for value in values)]
    return [before != command_id for before, command_id in pairwise(ids)]


def assert_same(unpacked: list[bytes], values: list[bytes]) -> None:
    """Equal but for the command ids, which divide both into the same appends."""
    without_ids = [value[COMMAND_ID_BYTES:] for value in values]
    assert [value[COMMAND_ID_BYTES:] for value in unpacked] == without_ids
    assert begin_appends(unpacked) == begin_appends(values)
    assert unpacked[-1] == values[-1]


def listed(values: list[bytes]) -> list[str]:
    return [f"{int.from_bytes(value[8:14], 'big')} {value[14:].decode()}" for value in values]


@given(games())
@settings(max_examples=60, deadline=None)
def test_any_game_comes_out_as_it_went_in(choice: tuple[int, dict[str, OptionValue], int]) -> None:
    players, rules, seed = choice
    played, rng = random_game(Random(seed), players, rules), Random(seed)
    values = stored(played.log, rng)
    packed = pack(values)
    unpacked = unpack(packed)
    assert_same(unpacked, values)
    assert head_of(packed) == Head(len(values), values[-1][:COMMAND_ID_BYTES])
    log = [
        entry._replace(event=decode(value[15:]))
        for entry, value in zip(played.log, unpacked, strict=True)
    ]
    assert fold(GAME, log) == played.final


def test_a_game_of_every_combination_of_rules_comes_out_as_it_went_in() -> None:
    for players in (2, 3, 4):
        for rules in every_combination(players):
            played = random_game(Random(7), players, {**rules, "target_score": 1}, stop_after=20)
            values = stored(played.log, Random(7))
            assert_same(unpack(pack(values)), values)


entries = st.tuples(
    st.binary(min_size=1, max_size=1), st.integers(0, 2**40), st.sampled_from(b"PBTS"), st.binary()
)


@given(st.lists(entries, min_size=1))
@settings(max_examples=200, deadline=None)
def test_entries_of_any_later_schema_come_out_as_they_went_in(
    made: list[tuple[bytes, int, int, bytes]],
) -> None:
    at, values = 0, []
    for command, later, cause, body in made:
        at += later
        stamp = command * COMMAND_ID_BYTES + at.to_bytes(6, "big")
        values.append(stamp + bytes((cause,)) + body)
    assert_same(unpack(pack(values)), values)


def test_time_that_goes_back_is_not_packed() -> None:
    values = [b"command1" + at.to_bytes(6, "big") + b"Sg" for at in (2, 1)]
    with pytest.raises(CorruptEntry):
        pack(values)


def test_damage_is_loud() -> None:
    packed = pack(stored(random_game(Random(1), 4, {"target_score": 3}).log, Random(1)))
    damaged = [bytes((2,)) + packed[1:], b"", packed[:1], packed[:-1], packed[:40]]
    damaged += [packed[:at] + bytes((packed[at] ^ 1,)) + packed[at + 1 :] for at in range(1, 5)]
    damaged += [packed[:at] + bytes((packed[at] ^ 1,)) + packed[at + 1 :] for at in range(13, 200)]
    for each in damaged:
        with pytest.raises(CorruptEntry):
            unpack(each)


def test_a_recorded_pack_is_readable_for_ever() -> None:
    packed, *lines = RECORDED.read_text().splitlines()
    assert listed(unpack(bytes.fromhex(packed))) == lines
