"""The hub over a real server: every version once, in order, to each its own."""

import queue
import threading
import time
from collections.abc import Callable, Iterator

import orjson
import pytest
from redis import Redis

from events.redis_store import RedisEventStore, log_key
from events.vocabulary import GameId, PlayerId
from service.game.commands import TakeSeat
from service.game.decide import legal_actions
from service.game.position import Position
from service.game.state import is_over
from service.live import hub as hub_module
from service.live import watch as watch_module
from service.live.hub import Hub
from service.live.presence import Presence
from service.live.wakeups import Wakeups
from service.live.watch import MOST_WAITING_FRAMES, Gone, Ready, Watch
from service.table import GameUnknown, Table
from service.views.event_view import frames
from tests.workers.tables import HOST, found, position_of

GUEST = PlayerId("p_guest")
VIEWERS = (HOST, GUEST, None)
UNKNOWN = GameId("g_0nosuchgame")


@pytest.fixture
def table(redis_client: Redis) -> Table:
    """The table of another process."""
    return Table(RedisEventStore(redis_client))


def new_hub(client: Redis) -> Hub:
    """The hub of a process."""
    return Hub(Table(RedisEventStore(client)), Presence(client), client)


@pytest.fixture
def hub(redis_client: Redis) -> Iterator[Hub]:
    made = new_hub(redis_client)
    yield made
    made.close()


@pytest.fixture
def game(table: Table) -> GameId:
    """A short game of two persons, dealt."""
    made = found(table, "me", "open")
    take = TakeSeat(GUEST, None, is_bot=False, now=table.now())
    position_of(table.act(made.id, take))
    return made.id


def play(table: Table, game: GameId, actions: int) -> Position:
    """So many actions, each the first that is legal; or to the end."""
    position = table.look(game)
    for _ in range(actions):
        if is_over(position.game):
            break
        position = position_of(table.act(game, legal_actions(position.game)[0]))
    return position


def taken(watch: Watch, version: int) -> list[Ready]:
    """The frames up to a version."""
    made: list[Ready] = []
    while not made or made[-1].version < version:
        item = watch.next(10)
        assert isinstance(item, Ready), item
        made.append(item)
    return made


def expected(table: Table, watch: Watch, version: int) -> list[bytes]:
    """The frames that the log has for a watch up to a version."""
    log = table.log(watch.game_id)[:version]
    made = frames(watch.game_id, log, watch.viewer, watch.since, version)
    return [orjson.dumps(frame) for frame in made]


def check(table: Table, watch: Watch, version: int) -> None:
    """Fails unless the watch gives what the log has, in order, each once."""
    assert [ready.json for ready in taken(watch, version)] == expected(table, watch, version)
    assert watch.next(0.05) is None


def eventually(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_every_version_comes_once_and_in_order_to_each_viewer(
    hub: Hub, table: Table, game: GameId
) -> None:
    watches = [hub.watch(game, viewer) for viewer in VIEWERS for _twice in range(2)]
    last = play(table, game, 10_000)
    for watch in watches:
        assert watch.since < last.version
        ready = taken(watch, last.version)
        assert [each.json for each in ready] == expected(table, watch, last.version)
        assert [each.is_last for each in ready] == [False] * (len(ready) - 1) + [True]
        hub.leave(watch)


def test_a_seats_frames_go_to_that_seat_alone(hub: Hub, table: Table, game: GameId) -> None:
    watches = [hub.watch(game, viewer) for viewer in VIEWERS]
    last = play(table, game, 12)
    for number, watch in enumerate(watches):
        for ready in taken(watch, last.version):
            you = orjson.loads(ready.json)["you"]
            assert (you and you["seat"]) == (None if watch.viewer is None else number)


def test_a_watch_that_begins_amid_appends_misses_and_repeats_nothing(
    hub: Hub, table: Table, game: GameId
) -> None:
    playing = threading.Thread(target=play, args=(table, game, 10_000))
    playing.start()
    watches = []
    while playing.is_alive():
        for viewer in VIEWERS:
            watches.append(hub.watch(game, viewer))
            if len(watches) % 3 == 0:
                hub.leave(watches.pop(0))
        time.sleep(0.005)
    playing.join()
    last = table.look(game).version
    for watch in watches:
        if watch.since < last:
            check(table, watch, last)
        else:
            assert watch.is_over


def test_a_watch_begins_at_the_version_that_its_listener_knows_of(
    hub: Hub, table: Table, game: GameId, redis_client: Redis
) -> None:
    version = hub.watch(game, None).since
    for _ in range(20):
        redis_client.client_kill_filter(_type="pubsub")
        version = play(table, game, 1).version
        assert hub.watch(game, HOST, version).since == version
    assert hub.watch(game, HOST, 10**9).since == version


def test_who_reads_too_slowly_is_cut_and_resumes(
    hub: Hub, table: Table, game: GameId, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_module, "MOST_WAITING_FRAMES", 5)
    slow, quick = hub.watch(game, HOST), hub.watch(game, GUEST)
    version = quick.since
    for _ in range(12):
        version = play(table, game, 1).version
        taken(quick, version)
    assert slow.next(10) == Gone("slow")
    assert slow.next(0.05) is None
    hub.leave(slow)
    again = hub.watch(game, HOST)
    assert again.since == version
    check(table, again, play(table, game, 3).version)


def test_a_burst_is_no_slow_reader(game: GameId) -> None:
    watch = Watch(game, None)
    for version in range(MOST_WAITING_FRAMES):
        assert watch.put(Ready(version, b"{}", is_last=False))
    assert not watch.put(Ready(MOST_WAITING_FRAMES, b"{}", is_last=False))


def test_versions_whose_wake_up_was_lost_are_found_by_looking_round(
    table: Table, game: GameId, redis_client: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Wakeups, "listen", lambda _self, _channel: None)
    monkeypatch.setattr(hub_module, "LOST_WAKE_UP", 0.2)
    hub = new_hub(redis_client)
    watch = hub.watch(game, HOST)
    check(table, watch, play(table, game, 5).version)
    hub.close()


def test_a_killed_connection_comes_back(
    hub: Hub, table: Table, game: GameId, redis_client: Redis
) -> None:
    watches = [hub.watch(game, viewer) for viewer in VIEWERS]
    version = watches[0].since
    for _ in range(3):
        redis_client.client_kill_filter(_type="pubsub")
        version = play(table, game, 2).version
        for watch in watches:
            taken(watch, version)
    channel = f"pepper:{{{game[2]}}}:live:{game}"
    eventually(lambda: redis_client.pubsub_shardnumsub(channel) == [(channel.encode(), 1)])


def test_the_last_to_leave_a_game_makes_it_forgotten(
    hub: Hub, table: Table, game: GameId, redis_client: Redis
) -> None:
    channel = f"pepper:{{{game[2]}}}:live:{game}"
    watches = [hub.watch(game, viewer) for viewer in VIEWERS]
    assert hub.listeners() == 3
    for watch in watches:
        hub.leave(watch)
        hub.leave(watch)
    assert hub.listeners() == 0
    eventually(lambda: redis_client.pubsub_shardnumsub(channel) == [(channel.encode(), 0)])
    version = play(table, game, 2).version
    assert watches[0].next(0.05) is None
    again = hub.watch(game, HOST)
    assert again.since == version
    check(table, again, play(table, game, 2).version)


def test_an_unknown_game_is_not_watched(hub: Hub, redis_client: Redis) -> None:
    for _ in range(3):
        with pytest.raises(GameUnknown):
            hub.watch(UNKNOWN, None)
    assert hub.listeners() == 0
    channel = f"pepper:{{0}}:live:{UNKNOWN}"
    eventually(lambda: redis_client.pubsub_shardnumsub(channel) == [(channel.encode(), 0)])


def test_a_log_that_is_another_one_sends_its_listeners_away(
    hub: Hub, table: Table, game: GameId, redis_client: Redis
) -> None:
    watch = hub.watch(game, HOST)
    redis_client.delete(log_key(game))
    assert watch.next(10) == Gone("reset")


def test_a_log_that_cannot_be_read_leaves_nothing_behind(
    hub: Hub, game: GameId, redis_client: Redis
) -> None:
    redis_client.xadd(log_key(game), {"e": b"nonsense"}, id="1000-0")
    for _ in range(2):
        with pytest.raises(Exception, match=game):
            hub.watch(game, HOST)
    assert hub.listeners() == 0


def test_a_closed_hub_sends_away_who_listens_and_who_comes(
    hub: Hub, table: Table, game: GameId
) -> None:
    threads = threading.active_count()
    early = hub.watch(game, HOST)
    hub.close()
    late = hub.watch(game, GUEST)
    assert early.next(10) == late.next(10) == Gone("closing")
    assert late.since == table.look(game).version
    eventually(lambda: threading.active_count() <= threads)


def test_many_may_come_and_go_at_once(hub: Hub, table: Table, game: GameId) -> None:
    faults: queue.SimpleQueue[str] = queue.SimpleQueue()
    is_done = threading.Event()

    def come_and_go(viewer: PlayerId | None) -> None:
        while not is_done.is_set():
            watch = hub.watch(game, viewer)
            item = watch.next(0.01)
            if isinstance(item, Ready) and item.version != watch.since + 1:
                faults.put(f"{item.version} after {watch.since}")
            hub.leave(watch)

    several = [threading.Thread(target=come_and_go, args=(viewer,)) for viewer in VIEWERS * 3]
    for each in several:
        each.start()
    play(table, game, 60)
    is_done.set()
    for each in several:
        each.join()
    assert faults.empty(), faults.get()
    assert hub.listeners() == 0
