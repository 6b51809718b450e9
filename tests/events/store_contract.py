"""What every event store promises, and what the stream store promises besides."""

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import cast

import pytest
from redis import Redis
from redis.exceptions import OutOfMemoryError

from events.catalogue import CardPlayed, GameStarted, Passed
from events.codec import CorruptEntry
from events.redis_store import RedisEventStore, due_key, feed_key, log_key
from events.store import (
    NO_ENTRIES,
    REQUESTS_KEPT_FOR,
    AlreadyDone,
    Appended,
    Due,
    Entry,
    EventStore,
    Head,
    HeadLost,
    Remembered,
    Request,
    RequestReused,
    SuccessorExists,
    VersionConflict,
)
from events.vocabulary import Card, Cause, GameId, Seat

GAME, OTHER = GameId("g_3aaaaaaaaaaaaaaaa"), GameId("g_3bbbbbbbbbbbbbbbb")
FIRST, SECOND, THIRD = b"command1", b"command2", b"command3"
STARTED = Entry(Cause.SYSTEM, GameStarted())
PASSED = Entry(Cause.PLAYER, Passed(Seat(1)))
PLAYED = Entry(Cause.BOT, CardPlayed(Seat(2), Card.JACK_SPADES))
ASKED = Request(GAME, b"\r\n\x00 who and key  "[:16], b"\xff\x00 201 g_1 5 \r\n!", 201)
DONE = Remembered(ASKED.fingerprint, 201, GAME, 2)


class StoreContract:
    """What every store promises."""

    def test_entries_come_back_in_order_with_version_cause_and_time(
        self, store: EventStore
    ) -> None:
        done = store.append(GAME, NO_ENTRIES, FIRST, [STARTED, PASSED, PLAYED])
        log = store.read(GAME)
        assert [(entry.version, entry.cause, entry.event) for entry in log] == [
            (1, *STARTED),
            (2, *PASSED),
            (3, *PLAYED),
        ]
        assert {(entry.at, entry.command_id) for entry in log} == {(done.at, FIRST)}
        assert abs(store.now() - done.at) < 60_000

    def test_an_unknown_game_has_no_entries(self, store: EventStore) -> None:
        assert list(store.read(GAME)) == []

    def test_an_append_is_on_no_log_but_its_own(self, store: EventStore) -> None:
        store.append(GAME, NO_ENTRIES, FIRST, [STARTED])
        assert list(store.read(OTHER)) == []

    def test_reading_goes_on_after_a_head(self, store: EventStore) -> None:
        store.append(GAME, NO_ENTRIES, FIRST, [STARTED])
        store.append(GAME, Head(1, FIRST), SECOND, [PASSED])
        assert [entry.version for entry in store.read(GAME, Head(1, FIRST))] == [2]
        assert list(store.read(GAME, Head(2, SECOND))) == []

    @pytest.mark.parametrize("head", [Head(1, SECOND), Head(2, FIRST), Head(9, FIRST)])
    def test_a_head_that_is_not_in_the_log_is_lost(self, store: EventStore, head: Head) -> None:
        store.append(GAME, NO_ENTRIES, FIRST, [STARTED])
        with pytest.raises(HeadLost):
            store.read(GAME, head)

    @pytest.mark.parametrize(
        "head", [NO_ENTRIES, Head(1, FIRST), Head(2, SECOND), Head(3, FIRST), Head(2, b"")]
    )
    def test_an_append_to_another_end_conflicts_and_adds_nothing(
        self, store: EventStore, head: Head
    ) -> None:
        store.append(GAME, NO_ENTRIES, FIRST, [STARTED, PASSED])
        with pytest.raises(VersionConflict):
            store.append(GAME, head, THIRD, [PLAYED, PLAYED])
        assert len(store.read(GAME)) == 2

    def test_a_repeated_append_is_answered_as_the_first(self, store: EventStore) -> None:
        first = store.append(GAME, NO_ENTRIES, FIRST, [STARTED, PASSED])
        assert store.append(GAME, NO_ENTRIES, FIRST, [STARTED, PASSED]) == first
        store.append(GAME, Head(2, FIRST), SECOND, [PLAYED])
        assert store.append(GAME, NO_ENTRIES, FIRST, [STARTED, PASSED]) == first
        assert len(store.read(GAME)) == 3

    def test_a_command_that_lost_its_race_is_no_repeat(self, store: EventStore) -> None:
        store.append(GAME, NO_ENTRIES, FIRST, [STARTED])
        store.append(GAME, Head(1, FIRST), SECOND, [PASSED])
        with pytest.raises(VersionConflict):
            store.append(GAME, Head(1, FIRST), THIRD, [PLAYED])
        assert store.append(GAME, Head(2, SECOND), THIRD, [PLAYED]).version == 3
        with pytest.raises(VersionConflict):
            store.append(GAME, Head(1, FIRST), THIRD, [PLAYED])

    def test_of_many_appends_to_one_end_exactly_one_wins(self, store: EventStore) -> None:
        store.append(GAME, NO_ENTRIES, FIRST, [STARTED])

        def attempt(number: int) -> Appended | None:
            with contextlib.suppress(VersionConflict):
                return store.append(GAME, Head(1, FIRST), b"%08d" % number, [PASSED, PLAYED])
            return None

        with ThreadPoolExecutor(8) as pool:
            won = [done for done in pool.map(attempt, range(40)) if done]
        assert [done.version for done in won] == [3]
        assert len(store.read(GAME)) == 3

    def test_a_game_has_one_successor(self, store: EventStore) -> None:
        assert store.successor(GAME) is None
        store.append(OTHER, NO_ENTRIES, FIRST, [STARTED], successor_of=GAME)
        assert store.successor(GAME) == OTHER
        third = GameId("g_3cccccccccccccccc")
        with pytest.raises(SuccessorExists) as raised:
            store.append(third, NO_ENTRIES, SECOND, [STARTED], successor_of=GAME)
        assert raised.value.successor == OTHER
        assert list(store.read(third)) == []

    def test_a_repeated_founding_of_a_successor_is_recognised(self, store: EventStore) -> None:
        first = store.append(OTHER, NO_ENTRIES, FIRST, [STARTED], successor_of=GAME)
        again = store.append(OTHER, NO_ENTRIES, FIRST, [STARTED], successor_of=GAME)
        assert again == first

    def test_a_request_is_done_once(self, store: EventStore) -> None:
        store.append(GAME, NO_ENTRIES, FIRST, [STARTED, PASSED], request=ASKED)
        for head in (NO_ENTRIES, Head(2, FIRST)):
            with pytest.raises(AlreadyDone) as raised:
                store.append(GAME, head, SECOND, [PLAYED], request=ASKED)
            assert raised.value.remembered == DONE
        with pytest.raises(AlreadyDone):
            store.check(ASKED)
        assert len(store.read(GAME)) == 2

    def test_a_lost_answer_to_a_request_is_asked_for_again(self, store: EventStore) -> None:
        first = store.append(GAME, NO_ENTRIES, FIRST, [STARTED], request=ASKED)
        assert store.append(GAME, NO_ENTRIES, FIRST, [STARTED], request=ASKED) == first

    def test_a_request_that_was_refused_is_not_remembered(self, store: EventStore) -> None:
        store.append(GAME, NO_ENTRIES, FIRST, [STARTED])
        with pytest.raises(VersionConflict):
            store.append(GAME, NO_ENTRIES, SECOND, [PASSED], request=ASKED)
        store.check(ASKED)
        assert store.append(GAME, Head(1, FIRST), SECOND, [PASSED], request=ASKED).version == 2

    def test_one_id_asks_one_thing(self, store: EventStore) -> None:
        store.append(GAME, NO_ENTRIES, FIRST, [STARTED], request=ASKED)
        other = ASKED._replace(fingerprint=bytes(16))
        with pytest.raises(RequestReused):
            store.append(GAME, Head(1, FIRST), SECOND, [PASSED], request=other)
        with pytest.raises(RequestReused):
            store.check(other)
        mine = ASKED._replace(id=bytes(16))
        assert store.append(GAME, Head(1, FIRST), SECOND, [PASSED], request=mine).version == 2

    def test_a_request_that_changed_nothing_is_remembered(self, store: EventStore) -> None:
        store.append(GAME, NO_ENTRIES, FIRST, [STARTED, PASSED])
        store.remember(ASKED, GAME, 2)
        with pytest.raises(AlreadyDone) as raised:
            store.remember(ASKED, GAME, 3)
        assert raised.value.remembered == DONE
        with pytest.raises(AlreadyDone):
            store.append(GAME, Head(2, FIRST), SECOND, [PLAYED], request=ASKED)

    def test_a_request_for_a_successor_is_remembered_where_it_was_made(
        self, store: EventStore
    ) -> None:
        store.append(OTHER, NO_ENTRIES, FIRST, [STARTED], successor_of=GAME, request=ASKED)
        with pytest.raises(AlreadyDone) as raised:
            store.check(ASKED)
        assert raised.value.remembered == DONE._replace(game=OTHER, version=1)

    def test_of_one_request_in_parallel_exactly_one_is_done(self, store: EventStore) -> None:
        store.append(GAME, NO_ENTRIES, FIRST, [STARTED])

        def attempt(number: int) -> bool:
            head = store.read(GAME)[-1]
            try:
                store.append(
                    GAME,
                    Head(head.version, head.command_id),
                    b"%08d" % number,
                    [PASSED],
                    request=ASKED,
                )
            except (AlreadyDone, VersionConflict):
                return False
            return True

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(attempt, range(40))) == 1
        assert len(store.read(GAME)) == 2


class RedisContract(StoreContract):
    """What the stream store promises besides."""

    @pytest.fixture
    def client(self) -> Iterator[Redis]:
        raise NotImplementedError

    @pytest.fixture
    def store(self, client: Redis) -> RedisEventStore:
        return RedisEventStore(client)

    def test_requests_are_kept_a_week_after_the_end(
        self, store: RedisEventStore, client: Redis
    ) -> None:
        key = f"pepper:{{3}}:requests:{GAME}"
        store.append(GAME, NO_ENTRIES, FIRST, [STARTED], request=ASKED)
        assert client.ttl(key) == -1
        store.append(GAME, Head(1, FIRST), SECOND, [PLAYED], is_last=True)
        assert REQUESTS_KEPT_FOR - 60 < int(client.ttl(key)) <= REQUESTS_KEPT_FOR

    def test_an_append_is_one_feed_entry(self, store: RedisEventStore, client: Redis) -> None:
        store.append(GAME, NO_ENTRIES, FIRST, [STARTED, PASSED])
        feed = cast(list[tuple[bytes, list[bytes]]], client.xrange(feed_key("3")))
        assert [fields for _id, fields in feed] == [[b"g", GAME.encode(), b"v", b"2", b"c", b"S"]]

    def test_due_games_are_found_postponed_and_cleared(self, store: RedisEventStore) -> None:
        done = store.append(GAME, NO_ENTRIES, FIRST, [STARTED], due=Due(500))
        assert store.due_games("3", done.at + 499) == []
        assert store.due_games("3", done.at + 500) == [GAME]
        store.postpone(GAME, done.at + 900)
        store.postpone(GAME, done.at + 700)
        assert store.due_games("3", done.at + 899) == []
        assert store.due_games("0123", done.at + 900) == [GAME]
        store.append(GAME, Head(1, FIRST), SECOND, [PASSED])
        store.postpone(GAME, done.at)
        assert store.due_games("3", done.at + 10_000) == []

    def test_a_game_may_be_due_from_a_time_on(self, store: RedisEventStore) -> None:
        store.append(GAME, NO_ENTRIES, FIRST, [STARTED], due=Due(500, since=1000))
        assert store.due_games("3", 1499) == []
        assert store.due_games("3", 1500) == [GAME]

    def test_a_conflict_leaves_feed_and_due_alone(
        self, store: RedisEventStore, client: Redis
    ) -> None:
        store.append(GAME, NO_ENTRIES, FIRST, [STARTED], due=Due(500))
        before = client.dump(feed_key("3")), client.dump(due_key("3"))
        with pytest.raises(VersionConflict):
            store.append(GAME, NO_ENTRIES, SECOND, [PASSED])
        assert (client.dump(feed_key("3")), client.dump(due_key("3"))) == before

    def test_a_repeated_append_leaves_feed_and_due_alone(
        self, store: RedisEventStore, client: Redis
    ) -> None:
        store.append(GAME, NO_ENTRIES, FIRST, [STARTED], due=Due(500))
        store.append(GAME, Head(1, FIRST), SECOND, [PASSED], due=Due(900))
        before = client.dump(feed_key("3")), client.dump(due_key("3"))
        store.append(GAME, NO_ENTRIES, FIRST, [STARTED], due=Due(500))
        store.append(GAME, Head(1, FIRST), SECOND, [PASSED], due=Due(900))
        assert (client.dump(feed_key("3")), client.dump(due_key("3"))) == before

    def test_a_server_without_memory_adds_nothing(
        self, store: RedisEventStore, client: Redis
    ) -> None:
        store.append(GAME, NO_ENTRIES, FIRST, [STARTED])
        client.config_set("maxmemory", 1)
        try:
            with pytest.raises(OutOfMemoryError):
                store.append(GAME, Head(1, FIRST), SECOND, [PASSED])
            with pytest.raises(OutOfMemoryError):
                store.append(OTHER, NO_ENTRIES, FIRST, [STARTED], successor_of=GAME)
        finally:
            client.config_set("maxmemory", 0)
        assert (len(store.read(GAME)), list(store.read(OTHER))) == (1, [])
        assert (store.successor(GAME), client.xlen(feed_key("3"))) == (None, 1)

    def test_time_never_goes_back(self, store: RedisEventStore, client: Redis) -> None:
        future = (2**44).to_bytes(6, "big")
        client.xadd(log_key(GAME), {"e": FIRST + future + b"Sg"}, id="1-0")
        assert store.append(GAME, Head(1, FIRST), SECOND, [PASSED]).at == 2**44

    def test_a_gap_is_loud(self, store: RedisEventStore, client: Redis) -> None:
        store.append(GAME, NO_ENTRIES, FIRST, [STARTED, PASSED, PLAYED])
        client.xdel(log_key(GAME), "2-0")
        with pytest.raises(CorruptEntry, match=GAME):
            store.read(GAME)

    @pytest.mark.parametrize(
        "value", [b"short", FIRST + bytes(6) + b"?g", FIRST + bytes(6) + b"SC2XX"]
    )
    def test_damaged_bytes_are_loud(
        self, store: RedisEventStore, client: Redis, value: bytes
    ) -> None:
        store.append(GAME, NO_ENTRIES, FIRST, [STARTED])
        client.xadd(log_key(GAME), {"e": value}, id="2-0")
        with pytest.raises(CorruptEntry, match=f"{GAME}, version 2"):
            store.read(GAME)
