"""Lists of games: what they hold, for whom, in which order, and that they can be made anew."""

from collections.abc import Iterator

import pytest
from redis import Redis

from events.vocabulary import PlayerId, Seat
from service.game.commands import AbortGame, CreateGame, LeaveSeat, SeatWish, TakeSeat
from service.game.position import Position
from service.game.state import Finished
from service.projections.lobby import PUBLIC, CursorMalformed, Wanted
from service.projections.profiles import Profile
from service.wiring import Services
from service.workers.bot_turn import take_bot_turns
from service.workers.rebuild import rebuild
from tests.workers.tables import HOST, TARGET, found, position_of, waiting_for_bot, waiting_for_host

GUEST, STRANGER = PlayerId("p_guest"), PlayerId("p_stranger")
ANY = Wanted()
FOR_EVER = 60.0


def public(parts: Services, *kinds: str) -> Position:
    return told(parts, found(parts.table, *kinds, visibility="public"))


def told(parts: Services, position: Position) -> Position:
    """A position that the lobby knows."""
    parts.lobby.record(position)
    return position


def played(parts: Services, position: Position) -> Position:
    take_bot_turns(parts.table, position.id, position.version, FOR_EVER)
    return parts.table.look(position.id)


def ids(
    parts: Services, wanted: Wanted = ANY, viewer: PlayerId | None = None, limit: int = 100
) -> list[str]:
    """The games of all pages."""
    return [item["id"] for page in pages(parts, wanted, viewer, limit) for item in page]


def pages(
    parts: Services, wanted: Wanted, viewer: PlayerId | None, limit: int
) -> Iterator[list[dict[str, str]]]:
    page = parts.lobby.page(wanted, viewer, limit)
    yield page.items
    while page.next is not None:
        page = parts.lobby.page(wanted, viewer, limit, page.next)
        yield page.items


def test_pages_are_newest_first_and_hold_every_game_once(parts: Services) -> None:
    games = [public(parts, "me", "open") for _game in range(7)]
    by_age = sorted(games, key=lambda game: (game.created_at, game.id), reverse=True)
    assert ids(parts, limit=3) == [game.id for game in by_age]
    assert [len(page) for page in pages(parts, ANY, None, 3)] == [3, 3, 1]


def test_the_last_page_has_no_next_even_when_it_is_full(parts: Services) -> None:
    for _game in range(4):
        public(parts, "me", "open")
    assert [len(page) for page in pages(parts, ANY, None, 2)] == [2, 2]


def test_a_cursor_stays_where_it_was_when_games_come(parts: Services) -> None:
    old = [public(parts, "me", "open").id for _game in range(3)]
    first = parts.lobby.page(ANY, None, 1)
    public(parts, "me", "open")
    rest = parts.lobby.page(ANY, None, 100, first.next)
    assert {item["id"] for item in (*first.items, *rest.items)} == set(old)


def test_a_cursor_stays_where_it_was_when_its_game_leaves_the_list(parts: Services) -> None:
    games = [public(parts, "me", "open") for _game in range(3)]
    wanted = Wanted(status="open")
    first = parts.lobby.page(wanted, None, 1)
    left = next(game for game in games if game.id == first.items[0]["id"])
    told(parts, position_of(parts.table.act(left.id, AbortGame(HOST))))
    rest = parts.lobby.page(wanted, None, 100, first.next)
    assert {item["id"] for item in rest.items} == {game.id for game in games} - {left.id}


def test_more_games_of_one_moment_than_a_batch_are_all_listed(
    parts: Services, redis_client: Redis
) -> None:
    one = public(parts, "me", "open")
    many = [told(parts, one._replace(id=f"g_0{number:012}")) for number in range(250)]  # type: ignore[arg-type]  # an id of a game
    assert set(ids(parts, limit=7)) == {one.id, *(game.id for game in many)}


@pytest.mark.parametrize("cursor", ["", "!", "abcd", "MTI", "eDpnXzA=", "é", "-" * 5000])
def test_a_cursor_that_no_page_gave_is_refused(parts: Services, cursor: str) -> None:
    public(parts, "me", "open")
    with pytest.raises(CursorMalformed):
        parts.lobby.page(ANY, None, 10, cursor)


def test_lists_by_status_number_of_players_and_open_seat(parts: Services) -> None:
    waiting, running = public(parts, "me", "open", "open"), public(parts, "me", "bot")
    over = told(parts, played(parts, public(parts, "bot", "bot", "bot", "bot")))
    aborted = told(
        parts, position_of(parts.table.act(public(parts, "me", "open").id, AbortGame(HOST)))
    )
    assert ids(parts, Wanted(status="open")) == [waiting.id]
    assert ids(parts, Wanted(status="in_progress")) == [running.id]
    assert ids(parts, Wanted(status="finished")) == [over.id]
    assert ids(parts, Wanted(status="aborted")) == [aborted.id]
    assert ids(parts, Wanted(players=3)) == [waiting.id]
    assert ids(parts, Wanted(has_open_seat=True)) == [waiting.id]
    assert set(ids(parts, Wanted(has_open_seat=False))) == {running.id, over.id, aborted.id}
    assert len(ids(parts)) == 4


def test_an_unlisted_game_is_listed_to_its_own_players_only(parts: Services) -> None:
    game = told(parts, found(parts.table, "me", "open", "open"))
    told(parts, position_of(parts.table.act(game.id, TakeSeat(GUEST, None, False, 0))))  # noqa: FBT003  (a person)
    for player in (HOST, GUEST):
        assert ids(parts, Wanted(player=HOST), player) == [game.id]
        assert ids(parts, Wanted(player=player), player) == [game.id]
    for viewer in (STRANGER, None):
        assert ids(parts, ANY, viewer) == []
        assert ids(parts, Wanted(player=HOST), viewer) == []
        assert ids(parts, Wanted(player=GUEST, status="open"), viewer) == []


def test_who_got_up_before_the_start_is_not_of_the_game(parts: Services) -> None:
    game = told(parts, found(parts.table, "me", "open", "open"))
    told(parts, position_of(parts.table.act(game.id, TakeSeat(GUEST, Seat(1), False, 0))))  # noqa: FBT003  (a person)
    told(parts, position_of(parts.table.act(game.id, LeaveSeat(GUEST, Seat(1)))))
    assert ids(parts, Wanted(player=GUEST), GUEST) == []


def test_what_needs_me_is_where_my_turn_is(parts: Services) -> None:
    mine = told(parts, waiting_for_host(parts.table))
    told(parts, waiting_for_bot(parts.table))
    assert ids(parts, Wanted(needs_me=True), HOST) == [mine.id]
    assert ids(parts, Wanted(needs_me=True), GUEST) == []


def test_a_turn_that_a_bot_takes_for_me_does_not_need_me(parts: Services) -> None:
    mine = waiting_for_host(parts.table)
    told(parts, position_of(parts.table.act(mine.id, LeaveSeat(HOST, Seat(0)))))
    assert ids(parts, Wanted(needs_me=True), HOST) == []


def test_older_news_change_nothing(parts: Services) -> None:
    old = public(parts, "bot", "bot")
    new = told(parts, played(parts, old))
    before = parts.lobby.page(ANY, None, 1)
    told(parts, old)
    assert parts.lobby.page(ANY, None, 1) == before
    assert ids(parts, Wanted(status="finished")) == [new.id]
    assert ids(parts, Wanted(status="in_progress")) == []


def test_a_game_that_ended_counts_once(parts: Services) -> None:
    aborted = position_of(parts.table.act(found(parts.table, "me", "open").id, AbortGame(HOST)))
    game = found(parts.table, "me", "bot")
    over = played(parts, position_of(parts.table.act(game.id, LeaveSeat(HOST, Seat(0)))))
    assert isinstance(over.game, Finished)
    for _time in range(3):
        told(parts, aborted)
        told(parts, over)
    won = int(0 in over.game.winners)
    assert parts.lobby.profile(HOST) == Profile(finished=1, won=won, aborted=1)
    assert parts.lobby.profile(STRANGER) == Profile(0, 0, 0)


def test_lists_made_anew_are_the_lists_that_were_kept(parts: Services, redis_client: Redis) -> None:
    for kinds in (("me", "open"), ("me", "bot"), ("bot",) * 3, ("bot",) * 4):
        for visibility in ("public", "unlisted"):
            game = told(parts, found(parts.table, *kinds, visibility=visibility))
            for version in range(1, game.version + 1):
                told(parts, parts.table.look_at(game.id, version))
            told(parts, played(parts, game))
    guest = CreateGame(GUEST, 2, (SeatWish("me"), SeatWish("open")), TARGET)
    told(parts, position_of(parts.table.create(guest)))

    def everything() -> list[object]:
        wanted = [
            Wanted(status=status, player=player)
            for status in (None, "open", "in_progress", "finished", "aborted")
            for player in (None, HOST, GUEST)
        ]
        viewers = (None, HOST, GUEST, STRANGER)
        lists = [list(pages(parts, each, who, 2)) for each in wanted for who in viewers]
        return [*lists, [parts.lobby.profile(who) for who in (HOST, GUEST)]]

    before = everything()
    redis_client.zadd(PUBLIC, {"g_0never0000": 1})
    redis_client.delete(f"{PUBLIC}:finished")
    assert everything() != before
    assert rebuild(parts) == 9
    assert everything() == before
