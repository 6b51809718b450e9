"""A 400-event log from the store to a state, beside an aggregate of the eventsourcing library."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from bench.games import log_of_400, store_log
from bench.measure import milliseconds, wall_milliseconds
from events.redis_store import RedisEventStore, log_key
from events.vocabulary import GameId, Seat
from service.game.position import fold
from service.views.seat_view import seat_view
from tests.conftest import client_of
from tests.servers import running_server, valkey

GAME = GameId("g_0benchbenchbench")


class Hand(Aggregate):
    """Cards played, as the library would keep them."""

    @event("Started")
    def __init__(self) -> None:
        self.cards: list[str] = []

    @event("CardPlayed")
    def play(self, seat: int, card: str) -> None:
        """Append one card."""
        self.cards.append(f"{seat}{card}")


def run() -> None:
    """Print both times and their ratio."""
    library = milliseconds(_library(), 30)
    with (
        tempfile.TemporaryDirectory(prefix="pp-") as folder,
        running_server(valkey(), Path(folder) / "v", "--appendonly", "no") as url,
        client_of(url) as client,
    ):
        store = RedisEventStore(client)
        store_log(store, GAME, log_of_400())

        def ours() -> object:
            return fold(GAME, store.read(GAME))

        cpu, wall = milliseconds(ours, 300), wall_milliseconds(ours, 300)
        bare = wall_milliseconds(lambda: client.xrange(log_key(GAME)), 300)
    print(f"read, decode, fold 400 events: {wall:.2f} ms, CPU {cpu:.2f} ms")
    print(f"of it XRANGE: {bare:.2f} ms")
    position = fold(GAME, log_of_400()[:380])
    assert position is not None
    view = milliseconds(lambda: [seat_view(position, Seat(0)) for _view in range(100)], 30)
    print(f"a seat's view with its hash: {view * 10:.0f} us CPU")
    print(f"eventsourcing, 400 events in memory: CPU {library:.2f} ms")
    print(f"ratio (wall against the library's CPU): {wall / library:.3f}")


def _library() -> Callable[[], object]:
    application: Application[UUID] = Application()
    hand = Hand()
    for number in range(399):
        hand.play(number % 4, "JS")
    application.save(hand)
    return lambda: application.repository.get(hand.id)
