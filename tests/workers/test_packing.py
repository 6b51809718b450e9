"""The ticker packs what ended some time ago; what cannot be packed holds nothing up."""

from dataclasses import replace

import pytest

from events.feed import Feed
from events.redis_store import log_key, packable_key, packed_key
from events.vocabulary import SHARDS, GameId, shard_of
from service.game.commands import AbortGame
from service.game.position import Position
from service.settings import Settings
from service.wiring import Services, services
from service.workers import packing, ticker
from service.workers.bot_turn import take_bot_turns
from service.workers.packing import pack_finished
from service.workers.rebuild import rebuild
from service.workers.ticker import Ticker
from tests.workers.tables import HOST, found, is_finished, position_of

A_LONG_TIME = 60.0


@pytest.fixture
def parts(settings: Settings) -> Services:
    """The parts of a process that packs at once."""
    return services(replace(settings, pack_after=0))


def ended(parts: Services) -> Position:
    """A game that bots have played to its end."""
    game = found(parts.table, "bot", "bot")
    take_bot_turns(parts.table, game.id, game.version, A_LONG_TIME)
    assert is_finished(parts.table, game.id)
    return parts.table.look(game.id)


def is_packed(parts: Services, game: GameId) -> bool:
    has_stream = parts.client.exists(log_key(game))
    has_pack = parts.client.exists(packed_key(game))
    assert has_stream + has_pack == 1
    return bool(has_pack)


def waits(parts: Services, game: GameId) -> float | None:
    return parts.client.zscore(packable_key(shard_of(game)), game)


def test_finished_and_aborted_games_are_packed_others_are_not(parts: Services) -> None:
    finished, running = ended(parts), found(parts.table, "bot", "bot")
    gathering = found(parts.table, "me", "open")
    aborted = position_of(parts.table.act(found(parts.table, "me", "open").id, AbortGame(HOST)))
    assert pack_finished(parts, SHARDS) == 2
    assert is_packed(parts, finished.id)
    assert is_packed(parts, aborted.id)
    assert not is_packed(parts, running.id)
    assert not is_packed(parts, gathering.id)
    assert pack_finished(parts, SHARDS) == 0
    assert services(parts.settings).table.look(finished.id) == finished


def test_a_game_that_has_just_ended_is_left_alone(settings: Settings) -> None:
    parts = services(settings)
    game = ended(parts)
    assert pack_finished(parts, SHARDS) == 0
    assert not is_packed(parts, game.id)


def test_only_so_many_are_packed_at_once(parts: Services) -> None:
    for _game in range(packing.AT_ONCE + 2):
        position = found(parts.table, "me", "open")
        parts.table.act(position.id, AbortGame(HOST))
    assert pack_finished(parts, SHARDS) == packing.AT_ONCE
    assert pack_finished(parts, SHARDS) == 2


def test_one_that_cannot_be_read_holds_nobody_up(
    parts: Services, caplog: pytest.LogCaptureFixture
) -> None:
    bad, good = ended(parts), ended(parts)
    ended_at = waits(parts, bad.id)
    parts.client.xadd(log_key(bad.id), {"e": b"no such event"})
    assert pack_finished(services(parts.settings), SHARDS) == 1
    assert (is_packed(parts, bad.id), is_packed(parts, good.id)) == (False, True)
    assert bad.id in caplog.text
    put_off = waits(parts, bad.id)
    assert ended_at is not None
    assert put_off is not None
    assert put_off > ended_at


def test_one_whose_end_a_failover_lost_is_left_alone(parts: Services) -> None:
    game = ended(parts)
    parts.client.xdel(log_key(game.id), f"{game.version}-0")
    assert pack_finished(services(parts.settings), SHARDS) == 0
    assert not is_packed(parts, game.id)


def test_games_from_before_there_was_packing_are_packed_after_a_rebuild(parts: Services) -> None:
    game, running = ended(parts), found(parts.table, "bot", "bot")
    parts.client.delete(*(packable_key(shard) for shard in SHARDS))
    assert pack_finished(parts, SHARDS) == 0
    assert rebuild(parts) == 2
    assert waits(parts, running.id) is None
    assert pack_finished(parts, SHARDS) == 1
    assert is_packed(parts, game.id)
    assert rebuild(parts) == 2
    assert waits(parts, game.id) is None


def test_the_ticker_packs_behind_the_followers(
    parts: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ticker, "CHORES_SECONDS", 0.0)
    game, feed = ended(parts), Feed(parts.client, parts.client, "lobby", "me")
    entries = feed.take(0)
    ticking = Ticker(parts.settings)
    ticking.tick()
    assert not is_packed(parts, game.id)
    feed.done(entries)
    ticking.tick()
    assert is_packed(parts, game.id)
    ticking.stop()
