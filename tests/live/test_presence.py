"""Who listens, across processes: told at once when they come or go, and when they just vanish."""

from collections.abc import Iterator

import orjson
import pytest
from redis import Redis

from events.redis_store import RedisEventStore
from events.vocabulary import GameId, PlayerId
from service.game.commands import TakeSeat
from service.live import presence as presence_module
from service.live.hub import Hub
from service.live.presence import Presence, online_key
from service.live.watch import Online, Ready, Watch
from service.table import Table
from tests.workers.tables import HOST, found, position_of

GUEST, STRANGER = PlayerId("p_guest"), PlayerId("p_stranger")


@pytest.fixture
def table(redis_client: Redis) -> Table:
    return Table(RedisEventStore(redis_client))


@pytest.fixture
def presence(redis_client: Redis) -> Presence:
    """The marks as another process makes them."""
    return Presence(redis_client)


@pytest.fixture
def hub(redis_client: Redis, table: Table) -> Iterator[Hub]:
    made = Hub(table, Presence(redis_client), redis_client)
    yield made
    made.close()


@pytest.fixture
def game(table: Table) -> GameId:
    """A game whose host waits for a second person."""
    return found(table, "me", "open").id


def seats(online: object) -> list[int]:
    assert isinstance(online, Online), online
    body = orjson.loads(online.json)
    assert body["type"] == "presence"
    return list(body["online"])


def asking(hub: Hub, game: GameId) -> tuple[Watch, list[int]]:
    """A watch that asks who is online, and the seats that are now."""
    watch = hub.watch(game, None)
    return watch, seats(hub.ask_who_is_online(watch))


def test_who_comes_and_goes_elsewhere_is_told(
    hub: Hub, table: Table, presence: Presence, game: GameId
) -> None:
    position_of(table.act(game, TakeSeat(GUEST, None, is_bot=False, now=table.now())))
    presence.mark(game, HOST, "one")
    watch, online = asking(hub, game)
    assert online == [0]
    presence.mark(game, GUEST, "two")
    assert seats(watch.next(10)) == [0, 1]
    presence.unmark(game, HOST, "one")
    assert seats(watch.next(10)) == [1]


def test_a_player_is_there_until_their_last_stream_is_gone(
    hub: Hub, presence: Presence, game: GameId
) -> None:
    presence.mark(game, HOST, "phone")
    presence.mark(game, HOST, "tablet")
    watch, _online = asking(hub, game)
    presence.unmark(game, HOST, "phone")
    presence.mark(game, HOST, "tablet")
    assert watch.next(0.3) is None
    presence.unmark(game, HOST, "tablet")
    assert seats(watch.next(10)) == []


def test_spectators_are_not_listed(hub: Hub, presence: Presence, game: GameId) -> None:
    presence.mark(game, STRANGER, "one")
    watch, online = asking(hub, game)
    assert online == []
    presence.unmark(game, STRANGER, "one")
    assert watch.next(0.3) is None


def test_who_sits_down_while_listening_is_listed_then(
    hub: Hub, table: Table, presence: Presence, game: GameId
) -> None:
    presence.mark(game, GUEST, "one")
    watch, _online = asking(hub, game)
    position_of(table.act(game, TakeSeat(GUEST, None, is_bot=False, now=table.now())))
    heard = [watch.next(10) for _ in range(2)]
    while isinstance(heard[-1], Ready):
        heard.append(watch.next(10))
    assert seats(heard[-1]) == [1]


def test_who_does_not_ask_is_told_nothing(hub: Hub, presence: Presence, game: GameId) -> None:
    quiet = hub.watch(game, HOST)
    asks, _online = asking(hub, game)
    presence.mark(game, HOST, "one")
    assert seats(asks.next(10)) == [0]
    assert quiet.next(0.05) is None


def test_a_mark_that_nobody_renews_expires_and_leaves_no_key(
    hub: Hub,
    presence: Presence,
    game: GameId,
    redis_client: Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(presence_module, "MARK_LASTS", 300)
    presence.mark(game, HOST, "one")
    watch, online = asking(hub, game)
    assert online == [0]
    assert seats(watch.next(10)) == []
    assert 0 < redis_client.pttl(online_key(game)) <= 600 or not redis_client.exists(
        online_key(game)
    )
