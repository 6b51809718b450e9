"""`pepper verify` over a real server: what is whole passes, what is broken is named."""

import os
import subprocess
from collections.abc import Callable
from typing import cast

import pytest
from redis import Redis

from events.feed import cursors_key
from events.packer import Packer
from events.redis_store import due_key, feed_key, log_key, packed_key
from events.vocabulary import GameId, shard_of
from service.operations.verify import verify
from service.wiring import Services
from tests.e2e.running import PEPPER
from tests.operations.tables import ANA, all_kinds, found, play_out

Entries = list[tuple[str, bytes]]


def entries_of(client: Redis, game: GameId) -> Entries:
    raw = cast(list[tuple[bytes, list[bytes]]], client.xrange(log_key(game)))
    return [(entry_id.decode(), fields[1]) for entry_id, fields in raw]


def write(client: Redis, game: GameId, entries: Entries) -> None:
    client.delete(log_key(game))
    for entry_id, value in entries:
        client.xadd(log_key(game), {"e": value}, entry_id)


def lost(entries: Entries) -> Entries:
    return entries[:9] + entries[10:]


def lost_and_renumbered(entries: Entries) -> Entries:
    return [(f"{version}-0", value) for version, (_id, value) in enumerate(lost(entries), 1)]


def doubled(entries: Entries) -> Entries:
    return [*entries[:10], ("10-1", entries[9][1]), *entries[10:]]


def cut(entries: Entries) -> Entries:
    return [*entries[:9], ("10-0", entries[9][1][:12]), *entries[10:]]


def of_an_unknown_code(entries: Entries) -> Entries:
    value = entries[9][1]
    return [*entries[:9], ("10-0", value[:15] + b"Z" + value[16:]), *entries[10:]]


def of_an_unknown_cause(entries: Entries) -> Entries:
    value = entries[9][1]
    return [*entries[:9], ("10-0", value[:14] + b"?" + value[15:]), *entries[10:]]


def going_back_in_time(entries: Entries) -> Entries:
    value = entries[9][1]
    return [*entries[:9], ("10-0", value[:8] + bytes(6) + value[14:]), *entries[10:]]


def exchanged(entries: Entries) -> Entries:
    (_, one), (_, other) = entries[9:11]
    return [*entries[:9], ("10-0", other), ("11-0", one), *entries[11:]]


CORRUPTIONS: list[tuple[Callable[[Entries], Entries], int]] = [
    (lost, 10),
    (lost_and_renumbered, 10),
    (doubled, 11),
    (cut, 10),
    (of_an_unknown_code, 10),
    (of_an_unknown_cause, 10),
    (going_back_in_time, 10),
    (exchanged, 10),
]


@pytest.mark.parametrize(("corrupt", "version"), CORRUPTIONS)
def test_the_first_bad_entry_is_named(
    parts: Services,
    capsys: pytest.CaptureFixture[str],
    corrupt: Callable[[Entries], Entries],
    version: int,
) -> None:
    good, bad = (play_out(parts.table, found(parts.table, "me", "bot")).id for _ in range(2))
    write(parts.client, bad, corrupt(entries_of(parts.client, bad)))
    assert not verify(parts, [])
    said = capsys.readouterr().out
    assert f"{bad} version {version}: " in said
    assert said.endswith("2 games, 1 findings\n")
    assert good not in said
    assert verify(parts, [good])
    assert not verify(parts, [bad])


def test_what_play_has_left_is_whole(parts: Services, capsys: pytest.CaptureFixture[str]) -> None:
    games = all_kinds(parts.table)
    assert verify(parts, [])
    assert capsys.readouterr().out == f"{len(games)} games, 0 findings\n"


def test_a_game_that_is_not_there_is_said_so(
    parts: Services, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not verify(parts, ["g_0nowhere"])
    assert "g_0nowhere: there is no such game" in capsys.readouterr().out


def test_what_is_kept_beside_the_logs_is_looked_at(
    parts: Services, capsys: pytest.CaptureFixture[str]
) -> None:
    waiting = found(parts.table, "me", "open").id
    finished = play_out(parts.table, found(parts.table, "me", "bot")).id
    rematch = parts.table.rematch(finished, ANA, is_bot=False)
    assert isinstance(rematch, tuple)
    client, shard = parts.client, shard_of(waiting)
    client.zrem(due_key(shard), waiting)
    client.zadd(due_key(shard), {f"g_{shard}nowhere": 1})
    client.delete(f"pepper:{{{shard_of(finished)}}}:next:{finished}")
    client.xadd(feed_key(shard), {"g": waiting, "v": 99, "c": "P"})
    client.xadd(feed_key(shard), {"other": "x"})
    client.hset(cursors_key(shard), "lobby", "99999999999999-0")
    assert not verify(parts, [])
    said = capsys.readouterr().out
    assert f"{waiting} version 2: it waits, and is not in the due set" in said
    assert f"{rematch[0].id} version 1: {finished} is not linked to it" in said
    assert f"g_{shard}nowhere has no log here" in said
    assert f"it tells of {waiting} version 99, which is nowhere" in said
    assert "names no append" in said
    assert "lobby is ahead of the feed" in said
    assert said.endswith(" 6 findings\n")


def test_the_command_says_by_its_exit_whether_all_is_well(parts: Services, redis_url: str) -> None:
    game = play_out(parts.table, found(parts.table, "me", "bot")).id

    def ran() -> tuple[int, str, str]:
        ended = subprocess.run(
            [str(PEPPER), "verify"],
            env={**os.environ, "REDIS_URL": redis_url},
            capture_output=True,
            text=True,
            timeout=60,
        )
        return ended.returncode, ended.stdout, ended.stderr

    assert ran() == (0, "1 games, 0 findings\n", "")
    write(parts.client, game, cut(entries_of(parts.client, game)))
    status, said, _errors = ran()
    assert (status, said.endswith("1 games, 1 findings\n")) == (1, True)


def test_packed_games_are_looked_into(parts: Services, capsys: pytest.CaptureFixture[str]) -> None:
    game = play_out(parts.table, found(parts.table, "me", "bot")).id
    assert Packer(parts.client).pack(game)
    assert verify(parts, [])
    packed = parts.client.get(packed_key(game))
    assert isinstance(packed, bytes)
    parts.client.set(packed_key(game), packed[:-9])
    assert not verify(parts, [])
    assert f"{game} version 1: unreadable: pack of format" in capsys.readouterr().out
