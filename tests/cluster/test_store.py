"""A cluster keeps the store's promises, and its client answers what a single server's does."""

import threading
import time
from pathlib import Path
from queue import SimpleQueue

import pytest
from redis import Redis
from redis.exceptions import OutOfMemoryError, RedisError

from events.catalogue import GameStarted
from events.feed import Feed
from events.heartbeat import Heartbeat
from events.leases import Leases
from events.redis_store import RedisEventStore, wake_channel
from events.store import NO_ENTRIES, Entry
from events.vocabulary import SHARDS, Cause, GameId, PlayerId, Seat
from service.cluster import key_at, servers
from service.durability import confirm, durability_problems
from service.live.wakeups import Wakeups
from service.operations.backup import backup
from service.operations.doctor import findings
from service.operations.restore import restore
from service.operations.verify import verify
from service.projections.notices import Notice, Topic
from service.wiring import Services, blocking_client
from service.workers.rebuild import rebuild
from tests.cluster.conftest import settings_over
from tests.events.store_contract import RedisContract
from tests.workers.tables import found, waiting_for_host
from tools.cluster import Cluster

GAMES = [GameId(f"g_{shard}aaaaaaaaaaaaaaaa") for shard in SHARDS]


def found_all(client: Redis) -> None:
    store = RedisEventStore(client)
    for game in GAMES:
        store.append(game, NO_ENTRIES, b"command1", [Entry(Cause.SYSTEM, GameStarted())])


class TestClusterStore(RedisContract):
    @pytest.fixture
    def client(self, cluster_client: Redis) -> Redis:
        return cluster_client

    def test_a_server_without_memory_adds_nothing(
        self, store: RedisEventStore, client: Redis
    ) -> None:
        found_all(client)
        for server in servers(client):
            server.config_set("maxmemory", 1)
        try:
            with pytest.raises(OutOfMemoryError):
                found_all_again(client)
        finally:
            for server in servers(client):
                server.config_set("maxmemory", 0)
        assert {len(store.read(game)) for game in GAMES} == {1}


def found_all_again(client: Redis) -> None:
    other = GameId("g_3bbbbbbbbbbbbbbbb")
    entries = [Entry(Cause.SYSTEM, GameStarted())]
    RedisEventStore(client).append(other, NO_ENTRIES, b"command2", entries)


def test_games_of_every_shard_are_found_and_lie_on_every_master(cluster_client: Redis) -> None:
    found_all(cluster_client)
    assert set(RedisEventStore(cluster_client).games()) == set(GAMES)
    assert all(server.dbsize() for server in servers(cluster_client))


def test_one_step_over_all_shards_reaches_all_of_them(cluster_client: Redis) -> None:
    assert Leases(cluster_client, "work", "me").held() == frozenset(SHARDS)
    heartbeat = Heartbeat(cluster_client)
    heartbeat.beat()
    now = RedisEventStore(cluster_client).now()
    assert all(heartbeat.is_fresh(shard, now) for shard in SHARDS)


def test_scripts_run_where_nobody_has_heard_of_them(cluster_client: Redis) -> None:
    for forget in (False, True):
        for server in servers(cluster_client) if forget else ():
            server.script_flush()
        owner = f"owner {forget}"
        assert Leases(cluster_client, owner, owner).held() == frozenset(SHARDS)
    for server in servers(cluster_client):
        server.script_flush()
    found_all(cluster_client)


def test_a_feed_hears_of_every_shard_while_it_waits(
    cluster_client: Redis, lasting_cluster: Cluster
) -> None:
    with blocking_client(settings_over(lasting_cluster)) as blocking:
        feed = Feed(cluster_client, blocking, "bots", "me")
        assert feed.take(block_ms=20) == []
        later = threading.Timer(0.1, found_all, [cluster_client])
        later.start()
        heard: set[GameId] = set()
        deadline = time.monotonic() + 10
        while heard != set(GAMES) and time.monotonic() < deadline:
            entries = feed.take(block_ms=5000)
            heard |= {entry.game for entry in entries}
            feed.done(entries)
        later.join()
        assert heard == set(GAMES)


def test_a_wait_without_news_ends(cluster_client: Redis, lasting_cluster: Cluster) -> None:
    with blocking_client(settings_over(lasting_cluster)) as blocking:
        feed = Feed(cluster_client, blocking, "bots", "me")
        assert feed.take(block_ms=100) == []
        began = time.monotonic()
        assert feed.take(block_ms=200) == []
        assert time.monotonic() - began >= 0.2


def test_wake_ups_come_from_every_node(cluster_client: Redis, lasting_cluster: Cluster) -> None:
    bells: SimpleQueue[str] = SimpleQueue()
    channels = {wake_channel(game) for game in GAMES}
    with blocking_client(settings_over(lasting_cluster)) as client:
        wakeups = Wakeups(client, bells.put)
        for channel in channels:
            wakeups.listen(channel)
        assert {bells.get(timeout=10) for _ in channels} == channels
        found_all(cluster_client)
        assert {bells.get(timeout=10) for _ in channels} == channels
        wakeups.ignore(wake_channel(GAMES[0]))
        wakeups.close()


def test_a_transaction_is_one_slots_and_a_fault_is_a_redis_error(cluster_client: Redis) -> None:
    with cluster_client.pipeline() as pipeline:
        pipeline.set("pepper:{p:a}:one", 1)
        pipeline.get("pepper:{p:a}:one")
        assert pipeline.execute() == [True, b"1"]
    with cluster_client.pipeline() as pipeline:
        pipeline.set("pepper:{p:a}:one", 1)
        pipeline.set("pepper:{p:b}:one", 1)
        with pytest.raises(RedisError):
            pipeline.execute()


def test_a_players_notices_are_read_in_one_step(parts: Services) -> None:
    player = PlayerId("p_1")
    place = waiting_for_host(parts.table)
    parts.inbox.record(player, place, [Notice(Topic.INVITED, player, Seat(0), 1, 5)])
    assert parts.inbox.turns(player)[0] == []
    (notice,) = parts.inbox.after(player, "0-0")
    assert (notice.topic, notice.game, notice.at) == (Topic.INVITED, place.id, 5)


def test_a_backup_of_a_cluster_is_restored(parts: Services, tmp_path: Path) -> None:
    games = [found(parts.table, "me", "bot") for _ in range(10)]
    kept = {game.id: parts.table.log(game.id) for game in games}
    parts.players.create("Ana", 1, is_bot=False)
    file = tmp_path / "backup"
    backup(parts, file)
    for server in servers(parts.client):
        server.flushall()
    assert restore(parts, file) == len(games)
    assert {game: parts.table.log(game) for game in parts.store.games()} == kept
    assert rebuild(parts) == len(games)
    assert verify(parts, [])


def test_all_masters_are_looked_at_together(parts: Services) -> None:
    said = [finding.said for finding in findings(parts)]
    assert any("the event server answers, 3 masters" in each for each in said), said


def test_every_master_is_asked_for_what_is_promised(parts: Services) -> None:
    keys = {key_at(parts.client, server, "pepper:touched") for server in servers(parts.client)}
    assert len(keys) == 3
    confirm(parts.client, parts.settings)
    assert durability_problems(parts.client, parts.settings) == []
    last = servers(parts.client)[-1]
    last.config_set("appendfsync", "everysec")
    try:
        assert len(durability_problems(parts.client, parts.settings)) == 1
    finally:
        last.config_set("appendfsync", "always")
