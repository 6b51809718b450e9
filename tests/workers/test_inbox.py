"""Inboxes as the follower keeps them: told twice, late or after a crash, nothing is lost."""

from functools import partial

import pytest
from redis.exceptions import ConnectionError as Unreachable

from events.feed import Feed, FeedEntry
from events.vocabulary import GameId, PlayerId, Seat
from service.game.commands import (
    AbortGame,
    CreateGame,
    InvitePlayer,
    LeaveSeat,
    SeatWish,
    StartGame,
    TakeSeat,
)
from service.game.position import Position
from service.game.state import seat_to_act
from service.projections import inbox
from service.projections.inbox import NOTHING, Kept, NoticesLost
from service.projections.notices import Topic
from service.wiring import Services
from service.workers.bot_turn import take_bot_turns
from service.workers.inbox_notices import InboxKeeper
from service.workers.rebuild import rebuild
from tests.workers.tables import (
    HOST,
    act_for_host,
    found,
    is_finished,
    position_of,
    waiting_for_host,
)

GUEST = PlayerId("p_guest")
LONG = 60.0


@pytest.fixture
def keeper(parts: Services) -> InboxKeeper:
    return InboxKeeper(parts)


def news(parts: Services) -> list[FeedEntry]:
    """Everything that the feeds hold and no test has taken."""
    feed, entries = Feed(parts.client, parts.client, "inbox", "a test"), []
    while taken := feed.take(0):
        entries += taken
        feed.done(taken)
    feed.release()
    return entries


def heard(parts: Services, player: PlayerId = HOST) -> list[Kept]:
    return parts.inbox.after(player, NOTHING)


def topics(parts: Services, player: PlayerId = HOST) -> list[Topic]:
    return [notice.topic for notice in heard(parts, player)]


def waiting(parts: Services, player: PlayerId = HOST) -> set[GameId]:
    return {turn.game for turn in parts.inbox.turns(player)[0]}


def invited(parts: Services, player: PlayerId = GUEST) -> list[GameId]:
    return [place.game for place in parts.inbox.invitations(player)]


def do(parts: Services, game: Position, *commands: object) -> Position:
    for command in commands:
        game = position_of(parts.table.act(game.id, command))  # type: ignore[arg-type]
    return game


def sit(parts: Services, player: PlayerId = GUEST, seat: Seat | None = None) -> TakeSeat:
    return TakeSeat(player, seat, is_bot=False, now=parts.table.now())


def test_a_turn_is_kept_until_it_is_played(parts: Services, keeper: InboxKeeper) -> None:
    game = waiting_for_host(parts.table)
    keeper.keep(news(parts))
    assert game.id in waiting(parts)
    (notice,) = [
        kept for kept in heard(parts) if kept.topic is Topic.YOUR_TURN and kept.game == game.id
    ]
    assert (notice.version, notice.seat, notice.at) == (game.version, 0, game.updated_at)
    act_for_host(parts.table, game)
    keeper.keep(news(parts))
    assert game.id not in waiting(parts)


def test_the_next_turn_has_a_later_notice(parts: Services, keeper: InboxKeeper) -> None:
    game = waiting_for_host(parts.table)
    keeper.keep(news(parts))
    before, cursor = parts.inbox.turns(HOST)
    after = act_for_host(parts.table, game)
    take_bot_turns(parts.table, game.id, after.version, LONG)
    keeper.keep(news(parts))
    turns, _cursor = parts.inbox.turns(HOST)
    (begun,) = [turn.begun for turn in turns if turn.game == game.id]
    assert inbox.order(begun) > inbox.order(cursor)
    assert {turn.begun for turn in before} <= {kept.id for kept in heard(parts)}


def test_what_is_told_twice_comes_again_and_changes_nothing(
    parts: Services, keeper: InboxKeeper
) -> None:
    game = waiting_for_host(parts.table)
    entries = news(parts)
    keeper.keep(entries)
    known, once = parts.inbox.turns(HOST)[0], {*topics(parts)}
    for again in (keeper, InboxKeeper(parts)):
        again.keep(entries)
        assert parts.inbox.turns(HOST)[0] == known
    assert {*topics(parts)} == once
    assert game.id in waiting(parts)


def test_late_news_of_a_turn_revive_nothing(parts: Services, keeper: InboxKeeper) -> None:
    game = waiting_for_host(parts.table)
    late = news(parts)
    act_for_host(parts.table, game)
    keeper.keep(news(parts))
    InboxKeeper(parts).keep(late)
    assert game.id not in waiting(parts)


def test_an_old_position_does_not_outdo_a_newer_turn(parts: Services, keeper: InboxKeeper) -> None:
    game = waiting_for_host(parts.table)
    after = act_for_host(parts.table, game)
    take_bot_turns(parts.table, game.id, after.version, LONG)
    keeper.keep(news(parts))
    kept = parts.inbox.turns(HOST)
    parts.inbox.record(HOST, game)
    parts.inbox.record(HOST, after)
    assert parts.inbox.turns(HOST) == kept


@pytest.mark.parametrize("broken_at", range(1, 8))
def test_a_keeper_that_is_cut_off_tells_again(
    parts: Services, keeper: InboxKeeper, monkeypatch: pytest.MonkeyPatch, broken_at: int
) -> None:
    wishes = (SeatWish("me"), SeatWish("open"))
    game = position_of(parts.table.create(CreateGame(HOST, 2, wishes, now=parts.table.now())))
    do(parts, game, sit(parts))
    entries, calls, record = news(parts), [0], parts.inbox.record

    def failing(*args: object) -> None:
        calls[0] += 1
        if calls[0] == broken_at:
            raise Unreachable("cut off")
        record(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(type(parts.inbox), "record", lambda _inbox, *args: failing(*args))
    try:
        keeper.keep(entries)
    except Unreachable:
        keeper.keep(entries)
    assert Topic.STARTED in topics(parts)
    assert {Topic.STARTED} <= {*topics(parts, GUEST)}
    assert waiting(parts) | waiting(parts, GUEST) == {game.id}


def test_a_game_with_a_friend_from_invitation_to_end(parts: Services, keeper: InboxKeeper) -> None:
    wishes = (SeatWish("me"), SeatWish("open"), SeatWish("open"))
    command = CreateGame(HOST, 3, wishes, start="manual", now=parts.table.now())
    game = position_of(parts.table.create(command))
    until = parts.table.now() + 60_000
    do(parts, game, InvitePlayer(HOST, Seat(1), GUEST, until))
    keeper.keep(news(parts))
    assert invited(parts) == [game.id]
    do(parts, game, sit(parts), sit(parts, PlayerId("p_third")))
    keeper.keep(news(parts))
    assert invited(parts) == []
    do(parts, game, StartGame(HOST), AbortGame(HOST))
    keeper.keep(news(parts))
    told = [topic for topic in topics(parts) if topic is not Topic.YOUR_TURN]
    assert told == [Topic.SEAT_TAKEN, Topic.SEAT_TAKEN, Topic.STARTED, Topic.FINISHED]
    guest = [topic for topic in topics(parts, GUEST) if topic is not Topic.YOUR_TURN]
    assert guest == [Topic.INVITED, Topic.SEAT_TAKEN, Topic.STARTED, Topic.FINISHED]
    assert waiting(parts) == set()


def test_an_invitation_that_is_taken_back_is_gone(parts: Services, keeper: InboxKeeper) -> None:
    wishes = (SeatWish("me"), SeatWish("open"))
    game = position_of(parts.table.create(CreateGame(HOST, 2, wishes, now=parts.table.now())))
    invite = InvitePlayer(HOST, Seat(1), GUEST, parts.table.now() + 60_000)
    do(parts, game, invite)
    keeper.keep(news(parts))
    do(parts, game, LeaveSeat(HOST, Seat(1)))
    keeper.keep(news(parts))
    assert invited(parts) == []


def test_a_rematch_is_told_to_who_has_not_pressed_yet(parts: Services, keeper: InboxKeeper) -> None:
    wishes = (SeatWish("me"), SeatWish("open"))
    command = CreateGame(HOST, 2, wishes, {"target_score": 3}, now=parts.table.now())
    game = do(parts, position_of(parts.table.create(command)), sit(parts))
    while not is_finished(parts.table, game.id):
        assert seat_to_act(game.game) is not None
        game = act_for_host(parts.table, game)
    made = parts.table.rematch(game.id, HOST, is_bot=False)
    assert isinstance(made, tuple)
    keeper.keep(news(parts))
    (notice,) = [kept for kept in heard(parts, GUEST) if kept.topic is Topic.REMATCH]
    assert (notice.game, notice.seat) == (made[0].id, 1)
    assert invited(parts) == [made[0].id]
    assert Topic.REMATCH not in topics(parts)


def test_who_hears_of_a_game_finds_it_in_their_list(parts: Services, keeper: InboxKeeper) -> None:
    game = found(parts.table, "me", "bot")
    keeper.keep(news(parts))
    assert Topic.STARTED in topics(parts)
    assert parts.lobby.unfinished_of(HOST) == [game.id]


def test_the_last_thousand_notices_are_kept(parts: Services) -> None:
    game = waiting_for_host(parts.table)
    note = partial(parts.inbox.record, HOST, game)
    position = parts.table.look(game.id)
    for version in range(inbox.KEPT + 400):
        parts.inbox.record(HOST, position._replace(version=position.version + version))
    note()
    size = int(parts.client.xlen(f"pepper:{{p:{HOST}}}:inbox"))
    assert inbox.KEPT <= size < inbox.KEPT + 400
    with pytest.raises(NoticesLost):
        parts.inbox.after(HOST, NOTHING)
    latest = parts.inbox.turns(HOST)[1]
    assert parts.inbox.after(HOST, latest) == []


def test_a_notice_that_never_was_is_lost(parts: Services, keeper: InboxKeeper) -> None:
    waiting_for_host(parts.table)
    keeper.keep(news(parts))
    for unknown in ("1-1", "9" * 18 + "-0"):
        with pytest.raises(NoticesLost):
            parts.inbox.after(HOST, unknown)


def test_rebuilding_finds_every_turn_and_invitation(parts: Services, keeper: InboxKeeper) -> None:
    game = waiting_for_host(parts.table)
    wishes = (SeatWish("me"), SeatWish("open"))
    other = position_of(parts.table.create(CreateGame(HOST, 2, wishes, now=parts.table.now())))
    do(parts, other, InvitePlayer(HOST, Seat(1), GUEST, parts.table.now() + 60_000))
    keeper.keep(news(parts))
    known, cursor = parts.inbox.turns(HOST)
    rebuild(parts)
    turns, _cursor = parts.inbox.turns(HOST)
    assert {turn.game for turn in turns} == {turn.game for turn in known} >= {game.id}
    assert all(inbox.order(turn.begun) > inbox.order(cursor) for turn in turns)
    assert invited(parts) == [other.id]
