"""A backup holds all that play and players have left, and becomes a store on which they go on."""

import gzip
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from redis import Redis

from events.packer import Packer
from events.redis_store import due_key, feed_key, requests_key
from events.store import Request
from events.vocabulary import SHARDS, GameId
from service.durability import RESTORING, durability_problems
from service.operations.archive import Damaged, Kept
from service.operations.backup import backup
from service.operations.keys import MADE_ANEW, kept
from service.operations.restore import Refused, erased_players, restore
from service.operations.values import ASK, WRITTEN
from service.operations.verify import verify
from service.players.accounts import Caller, NewToken, PlayerUnknown
from service.players.codes import LinkCodes
from service.players.erasure import Erasures
from service.players.recovery import Recovery
from service.players.tokens import Tokens
from service.settings import Settings
from service.webhooks.queues import Queues
from service.webhooks.registry import Webhooks
from service.webhooks.vocabulary import Topic
from service.wiring import Services, services
from service.workers.erasing import finish_erasures
from service.workers.rebuild import rebuild
from tests.conftest import client_of
from tests.operations.tables import all_kinds, found, play_out
from tests.servers import running_server, valkey

A_REQUEST = Request(GameId(""), b"request 0000 id ", b"fingerprint 0000", 200)


@pytest.fixture(scope="session")
def _other_url(server_folder: Path) -> Iterator[str]:
    with running_server(valkey(), server_folder / "o", "--appendonly", "no") as url:
        yield url


@pytest.fixture
def other(_other_url: str, settings: Settings) -> Services:
    """The parts of a process over another, empty server."""
    with client_of(_other_url) as client:
        client.flushall()
    return services(replace(settings, redis_url=_other_url, queue_url=_other_url))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "backup"


class Lives:
    """A store in which everything is kept that can be: two players, and every kind of game."""

    def __init__(self, parts: Services) -> None:
        now = parts.store.now()
        self.parts = parts
        self.player, self.token = parts.players.create("Ana", now, is_bot=False)
        self.gone, _token = parts.players.create("Zoe", now, is_bot=False)
        self.games = all_kinds(parts.table)
        assert Packer(parts.client).pack(self.games[0])
        parts.store.remember(A_REQUEST._replace(game=self.games[1]), self.games[1], 2)
        self.further = Tokens(parts.client).make(self.caller(), "phone", ["read"], now, now + 10**6)
        self.code = Recovery(parts.client).make(self.player.id, now)
        self.link = LinkCodes(parts.client).make(self.caller())
        self.hook = Webhooks(parts.client).create(
            self.player.id, "https://a.example", [*Topic], now
        )
        Queues(parts.client).push_test(self.hook, now)
        parts.secret.derive("something")
        parts.heartbeat.beat()
        self.erase(self.gone.id)
        rebuild(parts)

    def caller(self, token: NewToken | None = None, parts: Services | None = None) -> Caller:
        """Whom the player's token speaks for."""
        found = (parts or self.parts).players.caller((token or self.token).secret)
        assert found is not None
        return found

    def erase(self, player: Any) -> None:
        Erasures(self.parts.client, self.parts.players).begin(player, self.parts.store.now())
        finish_erasures(self.parts)


@pytest.fixture
def lives(parts: Services) -> Lives:
    made = Lives(parts)
    _stop(parts)
    return made


def _stop(parts: Services) -> None:
    """As if the service had been stopped some time ago."""
    for shard in SHARDS:
        parts.client.decrby(f"pepper:{{{shard}}}:beat", 10_000)


def content(client: Redis) -> dict[str, Kept]:
    """What is kept, by key."""
    return {each.key: each for each in kept(client)}


def lists_of(client: Redis) -> dict[str, Any]:
    """All that is made anew but the feed, in which the followers are told, and notices' ids."""
    left_out = (
        "pepper:{?}:feed",
        "pepper:{p:*}:inbox",
        "pepper:{p:*}:turns",
        "pepper:{?}:packable",
    )
    patterns = [pattern for pattern in MADE_ANEW if pattern not in left_out]
    keys = [key for pattern in patterns for key in cast(list[bytes], client.keys(pattern))]
    types = {key.decode(): cast(bytes, client.type(key)).decode() for key in keys}
    with client.pipeline() as asked:
        for key, kind in types.items():
            ASK[kind](asked, key)
        answers = asked.execute()
    pairs = zip(types.items(), answers, strict=True)
    return {key: WRITTEN[kind](answer) for (key, kind), answer in pairs}


def test_what_is_restored_is_what_was_kept(lives: Lives, other: Services, file: Path) -> None:
    parts = lives.parts
    keys = backup(parts, file)
    assert restore(other, file) == len(lives.games)
    assert content(other.client) == content(parts.client)
    assert len(content(other.client)) == keys
    assert lists_of(other.client) == lists_of(parts.client)
    assert verify(other, [])
    assert not other.client.exists(RESTORING)


def test_players_and_their_tokens_codes_and_webhooks_are_there(
    lives: Lives, other: Services, file: Path
) -> None:
    backup(lives.parts, file)
    restore(other, file)
    assert other.players.get(lives.player.id) == lives.player
    assert lives.caller(parts=other) == lives.caller()
    assert lives.caller(lives.further, other).expires_at == lives.further.expires_at
    assert other.secret.derive("x") == lives.parts.secret.derive("x")
    assert Webhooks(other.client).of(lives.player.id) == [lives.hook]
    assert len(Queues(other.client).due(other.store.now())) == 1
    assert LinkCodes(other.client).use(lives.link) is not None
    assert Recovery(other.client).use(lives.code, "new", 1) is not None
    with pytest.raises(PlayerUnknown):
        other.players.get(lives.gone.id)
    assert {*erased_players(other.client)} == {lives.gone.id}


def test_every_game_that_goes_on_is_told_of_and_due(
    lives: Lives, other: Services, file: Path
) -> None:
    backup(lives.parts, file)
    restore(other, file)
    told, due = set(), set()
    for shard in SHARDS:
        entries = cast(list[tuple[bytes, list[bytes]]], other.client.xrange(feed_key(shard)))
        told |= {fields[1] for _id, fields in entries}
        due |= {*cast(list[bytes], other.client.zrange(due_key(shard), 0, -1))}
    going = [game for game in lives.games if other.table.look(game).ended_at is None]
    assert told == due == {game.encode() for game in going}


def test_time_since_the_backup_is_an_outage(lives: Lives, other: Services, file: Path) -> None:
    backup(lives.parts, file)
    restore(other, file)
    other.heartbeat.beat()
    now = other.store.now()
    assert all(other.heartbeat.away(shard, now - 60_000, now) >= 10_000 for shard in SHARDS)


def test_who_was_erased_since_stays_erased(lives: Lives, file: Path) -> None:
    parts = lives.parts
    game = found(parts.table, "open", lives.player.id).id
    backup(parts, file)
    lives.erase(lives.player.id)
    restore(parts, file, replace=True)
    assert {*erased_players(parts.client)} == {lives.gone.id, lives.player.id}
    assert_gone(lives, parts)
    assert parts.table.look(game).version == 2


def test_who_is_named_is_erased(lives: Lives, other: Services, file: Path) -> None:
    backup(lives.parts, file)
    restore(other, file, [lives.player.id])
    assert_gone(lives, other)


def assert_gone(lives: Lives, parts: Services) -> None:
    assert parts.players.caller(lives.token.secret) is None
    with pytest.raises(PlayerUnknown):
        parts.players.get(lives.player.id)
    assert parts.client.keys(f"pepper:{{p:{lives.player.id}}}:*") == [
        f"pepper:{{p:{lives.player.id}}}:erased".encode()
    ]
    assert Recovery(parts.client).use(lives.code, "new", 1) is None


def test_a_used_store_is_only_replaced_when_asked_so(
    lives: Lives, other: Services, file: Path
) -> None:
    backup(lives.parts, file)
    found(other.table, "me", "open")
    before = other.client.dbsize()
    with pytest.raises(Refused, match="not empty"):
        restore(other, file)
    assert other.client.dbsize() == before
    assert restore(other, file, replace=True) == len(lives.games)
    assert content(other.client) == content(lives.parts.client)


@pytest.mark.parametrize("key", ["pepper:{0}:lease:ticker", "pepper:{0}:beat"])
def test_a_store_in_use_is_left_alone(
    lives: Lives, other: Services, file: Path, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.operations.restore.LONGEST_WAIT", 0.2)
    backup(lives.parts, file)
    other.client.set(key, other.store.now())
    with pytest.raises(Refused, match="a service uses the store"):
        restore(other, file)
    assert other.client.keys() == [key.encode()]


def test_what_an_idle_service_has_left_is_no_use(lives: Lives, other: Services, file: Path) -> None:
    backup(lives.parts, file)
    other.heartbeat.beat()
    other.secret.derive("something")
    _stop(other)
    assert restore(other, file) == len(lives.games)
    assert other.client.get("pepper:{secret}") == lives.parts.client.get("pepper:{secret}")


def damaged(whole: bytes) -> Iterator[bytes]:
    step = len(whole) // 40
    for at in range(0, len(whole), step):
        yield whole[:at]
        if at > 10:  # before are times and flags that gzip itself does not read
            yield whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :]
    lines = gzip.decompress(whole).splitlines(keepends=True)
    for changed in (lines[:-1], lines[:5] + lines[6:], lines[1:], [*lines, lines[1]], lines[:0]):
        yield gzip.compress(b"".join(changed))
    yield gzip.compress(lines[0].replace(b'"format":1', b'"format":2') + b"".join(lines[1:]))
    yield gzip.compress(lines[0] + b'["pepper:x","nothing",null,""]\n' + b"".join(lines[1:]))
    yield b"something else"


def test_a_damaged_file_is_refused_before_anything_is_written(
    lives: Lives, other: Services, file: Path
) -> None:
    backup(lives.parts, file)
    for number, content_now in enumerate(damaged(file.read_bytes())):
        bad = file.with_name(f"bad{number}")
        bad.write_bytes(content_now)
        with pytest.raises(Damaged):
            restore(other, bad)
        assert other.client.dbsize() == 0


def test_a_restore_that_is_cut_off_can_be_done_again(
    lives: Lives, other: Services, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup(lives.parts, file)
    with monkeypatch.context() as patch:
        patch.setattr("service.operations.restore.rebuild", _cut_off)
        with pytest.raises(KeyboardInterrupt):
            restore(other, file)
    assert any("restore" in each for each in durability_problems(other.client, other.settings))
    with pytest.raises(Refused, match="not empty"):
        restore(other, file)
    restore(other, file, replace=True)
    assert content(other.client) == content(lives.parts.client)


def _cut_off(*_arguments: Any) -> None:
    raise KeyboardInterrupt


def test_a_file_that_is_there_is_kept_and_a_backup_is_its_owners_alone(
    lives: Lives, file: Path
) -> None:
    backup(lives.parts, file)
    assert file.stat().st_mode & 0o777 == 0o600
    before = file.read_bytes()
    with pytest.raises(FileExistsError):
        backup(lives.parts, file)
    assert file.read_bytes() == before
    assert [*file.parent.iterdir()] == [file]


def test_a_backup_during_play_holds_games_that_are_whole(
    parts: Services, settings: Settings, other: Services, file: Path
) -> None:
    before = [found(parts.table, "me", "bot").id for _ in range(50)]
    stop = threading.Event()
    playing = [threading.Thread(target=_play_on, args=(services(settings), stop)) for _ in range(2)]
    for thread in playing:
        thread.start()
    for number in range(3):
        backup(parts, file.with_name(str(number)))
    stop.set()
    for thread in playing:
        thread.join()
    for number in range(3):
        saved = file.with_name(str(number))
        restore(other, saved, replace=True)
        assert verify(other, [])
        games = {*other.store.games()}
        assert games >= {*before}
        for game in games:
            done = cast(list[bytes], other.client.hvals(requests_key(game)))
            told = [int(value.rpartition(b" ")[2]) for value in done]
            assert max(told, default=0) <= other.table.look(game).version


def _play_on(parts: Services, stop: threading.Event) -> None:
    while not stop.is_set():
        game = found(parts.table, "bot", "bot")
        parts.store.remember(A_REQUEST._replace(game=game.id), game.id, game.version)
        Packer(parts.client).pack(play_out(parts.table, game).id)
