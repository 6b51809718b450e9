"""Erasure that is cut off anywhere, raced or doubled ends as if nothing had happened."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as Unreachable

from events.feed import Feed
from events.vocabulary import GameId, PlayerId, Seat
from service.game.commands import CreateGame, SeatWish, TakeSeat
from service.game.state import is_over, seat_of
from service.players.accounts import SCOPES, Caller, NewToken, PlayerUnknown
from service.players.erasure import ERASING, Erasures
from service.players.recovery import Recovery
from service.players.tokens import MakerRevoked, Tokens
from service.settings import Settings
from service.webhooks.registry import Webhooks
from service.webhooks.vocabulary import Topic
from service.wiring import Services, services
from service.workers import erasing
from service.workers.erasing import finish_erasures
from service.workers.follower import keep_lobby
from service.workers.inbox_notices import InboxKeeper
from service.workers.rebuild import rebuild
from tests.workers.tables import position_of

NAME = "Quetzalcoatl"
SEATS = {"open": ("me", "open"), "started": ("me", "bot"), "unseated": ("open", "open")}


class Held(NamedTuple):
    """A player and their games."""

    player: PlayerId
    token: NewToken
    games: list[GameId]


def create(parts: Services, player: PlayerId, *kinds: str) -> GameId:
    wishes = tuple(SeatWish(kind) for kind in kinds)
    command = CreateGame(player, len(kinds), wishes, now=parts.table.now())
    return position_of(parts.table.create(command)).id


def follow(parts: Services) -> None:
    """Take note of all that the feeds hold, as the follower does: it is done once it is handled."""
    lobby = partial(keep_lobby, parts)
    for name, handle in (("lobby", lobby), ("inbox", InboxKeeper(parts).keep)):
        feed = Feed(parts.client, parts.client, name, "a test")
        while entries := feed.take(0):
            handle(entries)
            feed.done(entries)


def new_player(parts: Services) -> Held:
    account, token = parts.players.create(NAME, parts.store.now(), is_bot=False)
    Recovery(parts.client).make(account.id, parts.store.now())
    Webhooks(parts.client).create(account.id, f"https://example.org/{NAME}", [Topic.TURN], 1)
    games = [create(parts, account.id, *kinds) for kinds in SEATS.values()]
    follow(parts)
    return Held(account.id, token, games)


def begin(parts: Services, player: PlayerId) -> None:
    Erasures(parts.client, parts.players).begin(player, parts.store.now())


def erase(parts: Services, player: PlayerId) -> None:
    begin(parts, player)
    finish_erasures(parts)


def is_seated(parts: Services, game: GameId, player: PlayerId) -> bool:
    position = parts.table.look(game)
    seat = seat_of(position.game, player)
    return seat is not None and not position.game.setup.places[seat].left


def check_gone(parts: Services, held: Held) -> None:
    """Nobody speaks for the player, sits for them or finds them in a list."""
    assert parts.players.caller(held.token.secret) is None
    for game in held.games:
        position = parts.table.look(game)
        assert is_over(position.game) or not is_seated(parts, game, held.player)
    assert parts.client.keys(f"pepper:{{p:{held.player}}}:*") == [
        f"pepper:{{p:{held.player}}}:erased".encode()
    ]
    for pattern in ("pepper:{r:*", "pepper:{t:*"):
        assert parts.client.keys(pattern) == []


@contextmanager
def cut_off_at(client: Redis, number: int, *, is_sent: bool) -> Iterator[list[int]]:
    """A client whose command of this number fails, sent or not; gives how many there were."""
    count, run, pipeline = [0], client.execute_command, client.pipeline

    def failing(call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **kwargs: Any) -> Any:
            count[0] += 1
            if count[0] != number:
                return call(*args, **kwargs)
            if is_sent:
                call(*args, **kwargs)
            raise Unreachable("cut off")

        return called

    def failing_pipeline(*args: Any, **kwargs: Any) -> Any:
        made = pipeline(*args, **kwargs)
        patch.setattr(made, "execute", failing(made.execute))
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "execute_command", failing(run))
        patch.setattr(client, "pipeline", failing_pipeline)
        yield count


@pytest.mark.parametrize("is_sent", [True, False])
def test_cut_off_at_any_command_it_ends_alike(parts: Services, *, is_sent: bool) -> None:
    number, count = 0, [0]
    while count[0] >= number:
        number += 1
        parts.client.flushall()
        held = new_player(parts)
        with cut_off_at(parts.client, number, is_sent=is_sent) as count, suppress(Unreachable):
            begin(parts, held.player)
            finish_erasures(parts)
            follow(parts)
        if parts.client.zscore(ERASING, held.player) is None:
            assert parts.players.caller(held.token.secret) is not None
            assert number <= 2, "only before it has begun"
        else:
            finish_erasures(parts)
            follow(parts)
            check_gone(parts, held)
    assert number > 30


@pytest.mark.parametrize("done", range(len([*erasing.STEPS]) + 1))
def test_stopped_after_any_step_it_is_taken_up(
    parts: Services, monkeypatch: pytest.MonkeyPatch, done: int
) -> None:
    def stop(_parts: Services, _player: PlayerId) -> None:
        raise Unreachable("stopped")

    held, steps = new_player(parts), [*erasing.STEPS]
    begin(parts, held.player)
    with monkeypatch.context() as patch:
        patch.setattr(erasing, "STEPS", [*steps[:done], stop])
        with pytest.raises(Unreachable):
            finish_erasures(parts)
    finish_erasures(parts)
    follow(parts)
    check_gone(parts, held)


def test_done_again_it_changes_nothing(parts: Services) -> None:
    held = new_player(parts)
    for _time in range(3):
        begin(parts, held.player)
        parts.client.zadd(ERASING, {held.player: 1})
        finish_erasures(parts)
        follow(parts)
    versions = [parts.table.look(game).version for game in held.games]
    begin(parts, held.player)
    parts.client.zadd(ERASING, {held.player: 1})
    finish_erasures(parts)
    assert [parts.table.look(game).version for game in held.games] == versions
    check_gone(parts, held)


def test_several_at_once_do_it_once(parts: Services, settings: Settings) -> None:
    held = new_player(parts)
    several = [services(settings) for _process in range(6)]

    with ThreadPoolExecutor(6) as pool:
        for erased in [pool.submit(erase, own, held.player) for own in several]:
            erased.result()
    follow(parts)
    check_gone(parts, held)
    left = [entry for game in held.games for entry in parts.table.log(game)]
    assert sum(type(entry.event).__name__ == "SeatHandedOver" for entry in left) == 1


def test_it_is_looked_at_once_more_and_then_no_more(parts: Services) -> None:
    held, erasures = new_player(parts), Erasures(parts.client, parts.players)
    now = parts.store.now()
    erase(parts, held.player)
    assert erasures.due(now + 30_000) == []
    assert erasures.due(now + 70_000) == [held.player]
    Webhooks(parts.client).create(held.player, "https://example.org/late", [Topic.TURN], 1)
    parts.client.set(f"pepper:{{p:{held.player}}}:erased", now - 60_000)
    parts.client.zadd(ERASING, {held.player: 1})
    finish_erasures(parts)
    assert parts.client.zscore(ERASING, held.player) is None
    follow(parts)
    check_gone(parts, held)


def test_what_was_under_way_seats_nobody(parts: Services) -> None:
    held = new_player(parts)
    other = create(parts, PlayerId("p_other"), "me", "open", "open")
    erase(parts, held.player)
    late = create(parts, held.player, "me", "bot")
    take = TakeSeat(held.player, Seat(1), is_bot=False, now=parts.table.now())
    position_of(parts.table.act(other, take))
    back = position_of(parts.table.act(held.games[1], replace(take, seat=None)))
    assert is_seated(parts, back.id, held.player)
    follow(parts)
    follow(parts)
    for game in (other, late, held.games[1]):
        assert not is_seated(parts, game, held.player)
    check_gone(parts, held)


def test_an_action_at_the_same_time_seats_nobody(parts: Services, settings: Settings) -> None:
    own = services(settings)
    for _race in range(20):
        held = new_player(parts)
        with ThreadPoolExecutor(3) as pool:
            erased = pool.submit(erase, parts, held.player)
            made = pool.submit(create, own, held.player, "me", "bot")
            erased.result()
            late = made.result()
        follow(parts)
        follow(parts)
        assert not is_seated(parts, late, held.player)
        check_gone(parts, held)


def test_lists_that_are_rebuilt_do_not_bring_the_player_back(parts: Services) -> None:
    held = new_player(parts)
    begin(parts, held.player)
    rebuild(parts)
    finish_erasures(parts)
    rebuild(parts)
    check_gone(parts, held)


def test_a_game_that_cannot_be_read_holds_up_nothing(parts: Services) -> None:
    held = new_player(parts)
    parts.client.xadd(f"pepper:{{{held.games[0][2]}}}:log:{held.games[0]}", {"e": b"no event"})
    erase(parts, held.player)
    follow(parts)
    assert not is_seated(parts, held.games[1], held.player)


def test_a_change_under_way_brings_no_record_back(parts: Services) -> None:
    held = new_player(parts)
    begin(parts, held.player)
    with pytest.raises(PlayerUnknown):
        parts.players.rename(held.player, "Ana")
    maker = Caller(
        held.player, is_bot=False, token_id=held.token.id, scopes=frozenset(SCOPES), expires_at=None
    )
    with pytest.raises(MakerRevoked):
        Tokens(parts.client).make(maker, "Late", SCOPES, 1, None)
    finish_erasures(parts)
    follow(parts)
    check_gone(parts, held)
