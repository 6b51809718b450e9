"""Packing at a real store: in one step, once, behind every follower; read as the stream was."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
from redis import Redis

from events.codec import CorruptEntry
from events.feed import Feed
from events.packer import Packer
from events.redis_store import RedisEventStore, feed_key, log_key, packable_key, packed_key
from events.store import (
    NO_ENTRIES,
    REQUESTS_KEPT_FOR,
    AlreadyDone,
    Entry,
    Head,
    HeadLost,
    Recorded,
    VersionConflict,
)
from events.vocabulary import SHARDS, GameId
from tests.conftest import client_of
from tests.events.store_contract import (
    ASKED,
    FIRST,
    GAME,
    OTHER,
    PASSED,
    PLAYED,
    SECOND,
    STARTED,
    THIRD,
)
from tests.scenario import Played, random_game

END = Head(3, SECOND)
LATER = 2**43


@pytest.fixture(params=["valkey", "debian"])
def client(request: pytest.FixtureRequest, valkey_url: str, debian_url: str) -> Iterator[Redis]:
    with client_of({"valkey": valkey_url, "debian": debian_url}[request.param]) as client:
        client.flushall()
        yield client


@pytest.fixture
def store(client: Redis) -> RedisEventStore:
    return RedisEventStore(client)


@pytest.fixture
def packer(client: Redis) -> Packer:
    return Packer(client)


def finish(store: RedisEventStore, game: GameId = GAME) -> None:
    """A log of two appends and three entries."""
    store.append(game, NO_ENTRIES, FIRST, [STARTED, PASSED])
    store.append(game, Head(2, FIRST), SECOND, [PLAYED], is_last=True)


def store_whole(store: RedisEventStore, played: Played) -> None:
    head = NO_ENTRIES
    for number, entry in enumerate(played.log):
        is_last = entry.version == len(played.log)
        command_id = b"%08d" % number
        store.append(GAME, head, command_id, [Entry(entry.cause, entry.event)], is_last=is_last)
        head = Head(entry.version, command_id)


def seen(log: Sequence[Recorded]) -> list[tuple[object, ...]]:
    return [(entry.version, entry.at, entry.cause, entry.event) for entry in log]


def test_a_packed_log_reads_as_the_stream_did(
    store: RedisEventStore, packer: Packer, client: Redis
) -> None:
    for players in (2, 3, 4):
        client.flushall()
        store_whole(store, random_game(Random(players), players, {"target_score": 3}))
        before = store.read(GAME)
        assert packer.pack(GAME)
        assert client.exists(log_key(GAME)) == 0
        after = store.read(GAME)
        assert (seen(after), after[-1]) == (seen(before), before[-1])


def test_who_knows_its_end_has_nothing_to_read(store: RedisEventStore, packer: Packer) -> None:
    finish(store)
    packer.pack(GAME)
    assert store.read(GAME, END) == []


@pytest.mark.parametrize("head", [Head(2, FIRST), Head(3, THIRD), Head(9, SECOND)])
def test_who_knows_anything_else_reads_from_the_start(
    store: RedisEventStore, packer: Packer, head: Head
) -> None:
    finish(store)
    packer.pack(GAME)
    with pytest.raises(HeadLost):
        store.read(GAME, head)


def test_the_entries_of_one_append_stay_together(store: RedisEventStore, packer: Packer) -> None:
    finish(store)
    packer.pack(GAME)
    first, second, last = (entry.command_id for entry in store.read(GAME))
    assert first == second != last == SECOND


@pytest.mark.parametrize("head", [NO_ENTRIES, Head(2, FIRST), END])
def test_a_packed_game_cannot_be_written_to(
    store: RedisEventStore, packer: Packer, client: Redis, head: Head
) -> None:
    finish(store)
    packer.pack(GAME)
    before = [client.dump(key) for key in (feed_key("3"), packed_key(GAME))]
    with pytest.raises(VersionConflict):
        store.append(GAME, head, THIRD, [PLAYED])
    assert [client.dump(key) for key in (feed_key("3"), packed_key(GAME))] == before
    assert client.exists(log_key(GAME)) == 0


def test_packing_twice_is_packing_once(
    store: RedisEventStore, packer: Packer, client: Redis
) -> None:
    finish(store)
    assert packer.pack(GAME)
    packed = client.get(packed_key(GAME))
    assert packer.pack(GAME)
    assert client.get(packed_key(GAME)) == packed
    assert client.zcard(packable_key("3")) == 0


def test_many_packers_at_once_lose_nothing(store: RedisEventStore, packer: Packer) -> None:
    games = [GameId(f"g_3{number:016d}") for number in range(20)]
    for game in games:
        finish(store, game)
    before = [seen(store.read(game)) for game in games]
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(packer.pack, games * 4))
    assert [seen(store.read(game)) for game in games] == before


def test_a_log_that_moved_after_it_was_read_is_left_alone(
    store: RedisEventStore, client: Redis
) -> None:
    finish(store)

    class Late(Packer):
        def __init__(self) -> None:
            super().__init__(client)
            pack = self._pack

            def append_first(*arguments: object) -> object:
                store.append(GAME, END, THIRD, [PLAYED])
                return pack(*arguments)  # type: ignore[arg-type]

            self._pack = append_first  # type: ignore[assignment]

    assert not Late().pack(GAME)
    assert client.exists(packed_key(GAME)) == 0
    assert len(store.read(GAME)) == 4


def test_a_damaged_log_is_not_packed(store: RedisEventStore, packer: Packer, client: Redis) -> None:
    finish(store)
    client.xdel(log_key(GAME), "2-0")
    with pytest.raises(CorruptEntry, match=GAME):
        packer.pack(GAME)
    assert client.xlen(log_key(GAME)) == 2


def test_a_damaged_pack_is_loud(store: RedisEventStore, packer: Packer, client: Redis) -> None:
    finish(store)
    packer.pack(GAME)
    client.setrange(packed_key(GAME), 20, b"??")
    with pytest.raises(CorruptEntry, match=GAME):
        store.read(GAME)


def test_games_are_found_packed_or_not(store: RedisEventStore, packer: Packer) -> None:
    finish(store)
    finish(store, OTHER)
    packer.pack(GAME)
    assert sorted(store.games()) == [GAME, OTHER]


def test_finished_games_are_ready_the_first_to_end_first(
    store: RedisEventStore, packer: Packer
) -> None:
    elsewhere = GameId("g_5aaaaaaaaaaaaaaaa")
    store.append(GameId("g_3cccccccccccccccc"), NO_ENTRIES, FIRST, [STARTED])
    for number, game in enumerate((OTHER, elsewhere, GAME)):
        finish(store, game)
        packer.postpone(game, LATER + number)
    assert packer.ready(SHARDS, LATER - 1, 9) == []
    assert packer.ready(SHARDS, LATER * 2, 2) == [OTHER, elsewhere]
    assert packer.ready("3", LATER * 2, 2) == [OTHER, GAME]


def test_a_game_waits_for_every_follower(
    store: RedisEventStore, packer: Packer, client: Redis
) -> None:
    finish(store)
    quick, slow = (Feed(client, client, name, "me") for name in ("quick", "slow"))
    entries = slow.take(0)
    quick.done(quick.take(0))
    assert packer.ready("3", LATER, 9) == []
    slow.done(entries[:1])
    assert packer.ready("3", LATER, 9) == []
    slow.done(entries)
    assert packer.ready("3", LATER, 9) == [GAME]


def test_only_a_stream_is_offered(store: RedisEventStore, packer: Packer, client: Redis) -> None:
    finish(store)
    client.delete(packable_key("3"))
    packer.offer(GAME, 5)
    assert packer.ready("3", 5, 9) == [GAME]
    packer.pack(GAME)
    packer.offer(GAME, 5)
    assert packer.ready("3", LATER, 9) == []


def test_requests_are_still_known_and_go_in_time(
    store: RedisEventStore, packer: Packer, client: Redis
) -> None:
    store.append(GAME, NO_ENTRIES, FIRST, [STARTED, PASSED], request=ASKED)
    packer.pack(GAME)
    with pytest.raises(AlreadyDone):
        store.append(GAME, NO_ENTRIES, THIRD, [STARTED], request=ASKED)
    lasts = int(client.ttl(f"pepper:{{3}}:requests:{GAME}"))
    assert REQUESTS_KEPT_FOR - 60 < lasts <= REQUESTS_KEPT_FOR
