"""News: whom an append tells what, whatever else it did."""

from events.catalogue import Clock
from events.memory_store import MemoryEventStore
from events.vocabulary import GameId, OnTimeout, PlayerId, Seat
from service.game.commands import AbortGame, CreateGame, LeaveSeat, SeatWish, TakeSeat
from service.game.decide import legal_actions
from service.game.position import Position
from service.game.state import is_bots, is_over, seat_to_act
from service.table import Table
from service.webhooks.news import News, news_of, persons_of
from service.webhooks.vocabulary import Topic
from tests.workers.tables import HOST, position_of

BEN = PlayerId("p_ben")
INVITED = SeatWish("player", player=BEN)


def new_table() -> Table:
    return Table(MemoryEventStore())


def found(table: Table, *wishes: SeatWish) -> Position:
    command = CreateGame(HOST, len(wishes), wishes, {"target_score": 3}, now=table.now())
    return position_of(table.create(command))


def all_news(table: Table, game: GameId) -> list[News]:
    log = table.log(game)
    return list(news_of(game, log, range(len(log) + 1)))


def news_at(table: Table, position: Position) -> list[News]:
    return list(news_of(position.id, table.log(position.id), {position.version}))


def topics(news: list[News]) -> list[tuple[Topic, PlayerId, int]]:
    return [(each.topic, each.player, each.seat) for each in news]


def act(table: Table, position: Position) -> Position:
    return position_of(table.act(position.id, legal_actions(position.game)[0]))


def dealt(table: Table) -> Position:
    """A game of two persons, Ben's seat taken."""
    position = found(table, SeatWish("me"), INVITED)
    return position_of(table.act(position.id, TakeSeat(BEN, None, is_bot=False, now=table.now())))


def test_an_invitation_tells_the_invited_until_when() -> None:
    table = new_table()
    position = found(table, SeatWish("me"), INVITED)
    (news,) = news_at(table, position)
    assert (news.topic, news.player, news.seat) == (Topic.INVITED, BEN, Seat(1))
    assert news.deadline == position.game.setup.places[1].reserved_until
    assert persons_of(position.game) == {HOST, BEN}


def test_a_turn_with_a_clock_tells_until_when() -> None:
    table, seats = new_table(), (SeatWish("me"), SeatWish("open"))
    clock = Clock(30, OnTimeout.BOT_PLAYS)
    made = position_of(table.create(CreateGame(HOST, 2, seats, clock=clock)))
    start = position_of(table.act(made.id, TakeSeat(BEN, None, is_bot=False, now=table.now())))
    (turn,) = [news for news in news_at(table, start) if news.topic is Topic.TURN]
    assert turn.deadline == start.updated_at + 30_000
    assert [news.deadline for news in news_at(table, start) if news != turn] == [None, None]


def test_a_start_tells_everybody_and_then_whose_turn_it_is() -> None:
    table = new_table()
    position = dealt(table)
    told = topics(news_at(table, position))
    seat = seat_to_act(position.game)
    assert seat is not None
    assert told == [
        (Topic.GAME_STARTED, HOST, 0),
        (Topic.GAME_STARTED, BEN, 1),
        (Topic.TURN, (HOST, BEN)[seat], seat),
    ]


def test_every_turn_of_a_whole_game_is_told_to_who_has_it() -> None:
    table = new_table()
    position = dealt(table)
    expected = []
    while not is_over(position.game):
        seat = seat_to_act(position.game)
        assert seat is not None
        expected.append((position.version, (HOST, BEN)[seat]))
        position = act(table, position)
    news = all_news(table, position.id)
    turns = [(each.version, each.player) for each in news if each.topic is Topic.TURN]
    assert turns == expected
    assert topics(news[-2:]) == [(Topic.GAME_FINISHED, HOST, 0), (Topic.GAME_FINISHED, BEN, 1)]
    assert [each.topic for each in news].count(Topic.GAME_FINISHED) == 2


def test_bots_are_told_nothing() -> None:
    table = new_table()
    position = found(table, SeatWish("me"), SeatWish("bot"), SeatWish("bot"))
    while not is_over(position.game):
        position = act(table, position)
    news = all_news(table, position.id)
    assert {each.player for each in news} == {HOST}
    assert {each.seat for each in news} == {0}


def test_an_aborted_game_has_ended_too() -> None:
    table = new_table()
    position = position_of(table.act(dealt(table).id, AbortGame(HOST)))
    assert {each.topic for each in news_at(table, position)} == {Topic.GAME_FINISHED}


def test_who_left_is_told_of_no_turn_until_they_are_back() -> None:
    table = new_table()
    position = dealt(table)
    seat = seat_to_act(position.game)
    assert seat is not None
    player = (HOST, BEN)[seat]
    left = position_of(table.act(position.id, LeaveSeat(player, seat)))
    assert is_bots(left.game.setup.places[seat])
    assert news_at(table, left) == []
    back = position_of(
        table.act(position.id, TakeSeat(player, seat, is_bot=False, now=table.now()))
    )
    assert topics(news_at(table, back)) == [(Topic.TURN, player, seat)]


def test_another_persons_leaving_tells_no_turn_again() -> None:
    table = new_table()
    position = dealt(table)
    seat = seat_to_act(position.game)
    assert seat is not None
    other = Seat(1 - seat)
    left = position_of(table.act(position.id, LeaveSeat((HOST, BEN)[other], other)))
    assert news_at(table, left) == []
