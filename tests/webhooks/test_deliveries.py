"""Deliveries: signed, in order a game, tried again under the same id, given up in the end."""

from collections.abc import Callable
from typing import Any, cast

import pytest
from redis import Redis

from events.vocabulary import PlayerId
from service.webhooks.deliveries import (
    CLAIMED_FOR,
    FAILURES_TO_REST,
    LONGEST_PAUSE,
    TRIED_FOR,
    Deliveries,
    pause_after,
)
from service.webhooks.posting import Poster
from service.webhooks.queues import (
    DUE,
    MOST_WAITING,
    SWEPT_EACH,
    TESTS,
    Message,
    Place,
    Queues,
    message_body,
    message_id,
)
from service.webhooks.registry import Webhook, Webhooks, WebhookUnknown
from service.webhooks.vocabulary import Disabled, Outcome, Topic
from tests.webhooks.receiver import Answer, Came, Receiver, in_turn, receiver, says

ANA, GAME, OTHER = PlayerId("p_ana"), "g_0game", "g_1other"
START = 1_700_000_000_000
DAY = 24 * 60 * 60 * 1000


class Clock:
    """A store's clock that a test turns on."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        return self.now


class Desk:
    """One player's webhook and all that delivers to it."""

    def __init__(self, client: Redis, own: Receiver) -> None:
        self.client, self.clock = client, Clock()
        self.webhooks, self.queues = Webhooks(client), Queues(client)
        self.hook = self.webhooks.create(ANA, own.url(), list(Topic), START)
        self.deliveries = Deliveries(client, Poster(loopback=True, seconds=2), self.clock)

    def tell(self, *versions: int, game: str = GAME, topic: Topic = Topic.TURN) -> None:
        """Let a message a version wait."""
        for version in versions:
            body = message_body(topic, ANA, START, game=game, version=version, seat=0)
            message = Message(message_id(self.hook.id, game, version, START, topic), body)
            self.queues.push(self.hook, game, version, START, [message])

    def work(self) -> None:
        """Deliver everything that is due, as workers would."""
        while due := self.queues.due(self.clock.now):
            for place, since in due:
                self.deliveries.deliver(place, since)

    def pass_by(self, milliseconds: int) -> None:
        """Let time pass, looking at what is due whenever something is."""
        ends = self.clock.now + milliseconds
        while (soonest := self.next_look()) is not None and soonest <= ends:
            self.clock.now = max(self.clock.now, soonest)
            self.work()
        self.clock.now = ends

    def next_look(self) -> int | None:
        found = cast(list[tuple[bytes, float]], self.client.zrange(DUE, 0, 0, withscores=True))
        return int(found[0][1]) if found else None

    def shown(self) -> Webhook:
        return self.webhooks.get(ANA, self.hook.id)

    def waiting(self, game: str = GAME) -> int:
        return self.client.llen(f"pepper:{{p:{ANA}}}:webhook:{self.hook.id}:queue:{game}")


def versions(bodies: list[Any], game: str = GAME) -> list[int]:
    return [body["version"] for body in bodies if body["game"] == game]


def ids(came: list[Came]) -> list[str]:
    return [each.headers["webhook-id"] for each in came]


@pytest.fixture
def desk_of(redis_client: Redis) -> Callable[[Receiver], Desk]:
    return lambda own: Desk(redis_client, own)


DeskOf = Callable[[Receiver], Desk]


def test_messages_come_signed_and_in_order(desk_of: DeskOf) -> None:
    with receiver(says(204)) as own:
        desk = desk_of(own)
        desk.tell(3, 4, 9)
        desk.work()
        bodies = own.bodies(desk.hook.secret)
    assert versions(bodies) == [3, 4, 9]
    assert bodies[0] == {
        "type": "turn",
        "game": GAME,
        "version": 3,
        "at": "2023-11-14T22:13:20.000Z",
        "player": ANA,
        "seat": 0,
        "deadline": None,
    }
    assert len(set(ids(own.came))) == 3
    assert desk.next_look() is None
    last = desk.shown().last
    assert last is not None
    assert (last.outcome, last.status) == (Outcome.DELIVERED, 204)


def test_what_is_told_twice_comes_once(desk_of: DeskOf) -> None:
    with receiver(says(200)) as own:
        desk = desk_of(own)
        desk.tell(3, 3)
        desk.work()
        desk.tell(2, 3, 4)
        desk.work()
        assert versions(own.bodies(desk.hook.secret)) == [3, 4]


def test_a_failed_one_comes_again_under_its_id_before_the_next(desk_of: DeskOf) -> None:
    with receiver(in_turn(says(500), says(302, Location="/"), says(200))) as own:
        desk = desk_of(own)
        desk.tell(3, 4)
        desk.work()
        assert versions(own.bodies(desk.hook.secret)) == [3]
        desk.pass_by(60_000)
        assert versions(own.bodies(desk.hook.secret)) == [3, 3, 3, 4]
    assert len(set(ids(own.came)[:3])) == 1
    assert desk.shown().failing_since is None


def test_games_do_not_wait_for_each_other(desk_of: DeskOf) -> None:
    with receiver(in_turn(says(500), says(200))) as own:
        desk = desk_of(own)
        desk.tell(1)
        desk.tell(1, 2, game=OTHER)
        desk.work()
        bodies = own.bodies(desk.hook.secret)
    assert versions(bodies, OTHER) in ([1, 2], [1])
    assert len(bodies) == 3


def test_pauses_double_up_to_an_hour() -> None:
    assert [pause_after(failures) for failures in (1, 2, 3, 4)] == [5_000, 10_000, 20_000, 40_000]
    assert {pause_after(failures) for failures in (11, 50, 10_000)} == {LONGEST_PAUSE}


def test_a_webhook_that_fails_for_a_day_is_disabled(desk_of: DeskOf) -> None:
    with receiver(says(500)) as own:
        desk = desk_of(own)
        desk.tell(1, 2)
        desk.work()
        desk.pass_by(DAY - LONGEST_PAUSE)
        assert desk.shown().disabled is None
        assert desk.shown().failing_since == START
        desk.pass_by(3 * LONGEST_PAUSE)
        assert desk.shown().disabled is Disabled.FAILING
        tries = len(own.came)
        assert 30 < tries < 50
        assert len(set(ids(own.came))) <= 2
        desk.tell(3)
        desk.pass_by(DAY)
        assert len(own.came) == tries
        assert desk.next_look() is None
        assert desk.waiting() == 0


def test_an_enabled_one_is_told_again(desk_of: DeskOf) -> None:
    with receiver(in_turn(says(410), says(200))) as own:
        desk = desk_of(own)
        desk.tell(1)
        desk.work()
        assert desk.shown().disabled is Disabled.GONE
        desk.pass_by(LONGEST_PAUSE)
        desk.tell(2)
        desk.webhooks.change(ANA, desk.hook.id, enabled=True)
        desk.tell(3)
        desk.work()
        assert versions(own.bodies(desk.hook.secret)) == [1, 3]


def test_one_message_that_never_works_is_given_up(desk_of: DeskOf) -> None:
    def picky(handler: Any) -> None:
        fails = handler.receiver.came[-1].headers["webhook-id"] == bad
        says(500 if fails else 200)(handler)

    with receiver(picky) as own:
        desk = desk_of(own)
        bad = message_id(desk.hook.id, GAME, 1, START, "turn")
        desk.tell(1, 2)
        for version in range(1, 60):
            desk.tell(version, game=OTHER)
            desk.pass_by(LONGEST_PAUSE // 2)
        assert desk.shown().disabled is None
        assert versions(own.bodies(desk.hook.secret))[-1] == 2
        assert versions(own.bodies(desk.hook.secret), OTHER) == list(range(1, 60))
    assert TRIED_FOR == DAY


def test_a_dead_webhook_with_many_games_is_tried_as_rarely_as_with_one(desk_of: DeskOf) -> None:
    with receiver(says(500)) as own:
        desk = desk_of(own)
        for number in range(20):
            desk.tell(1, game=f"g_{number:x}game")
        desk.pass_by(LONGEST_PAUSE)
        assert len(own.came) < FAILURES_TO_REST + 20


def test_a_claim_holds_for_one_alone(desk_of: DeskOf) -> None:
    with receiver(says(200)) as own:
        desk = desk_of(own)
        desk.tell(1)
        ((place, since),) = desk.queues.due(START)
        assert desk.queues.look_again(place, since, START + CLAIMED_FOR)
        desk.deliveries.deliver(place, since)
        assert own.came == []
        desk.clock.now += CLAIMED_FOR
        desk.work()
        assert len(own.came) == 1


def test_what_comes_while_the_last_is_delivered_is_not_forgotten(desk_of: DeskOf) -> None:
    with receiver(says(200)) as own:
        desk = desk_of(own)
        desk.tell(1)
        ((place, _since),) = desk.queues.due(START)
        desk.queues.leave(place)
        desk.work()
        assert len(own.came) == 1


def test_what_waits_is_bounded_and_the_newest_stay(desk_of: DeskOf) -> None:
    with receiver(says(200)) as own:
        desk = desk_of(own)
        desk.tell(*range(1, MOST_WAITING + 3))
        assert desk.waiting() == MOST_WAITING
        head = desk.queues.head(Place(ANA, desk.hook.id, GAME))
        assert head is not None
        assert head.body["version"] == 3


@pytest.mark.parametrize("answer", [says(200), says(500)])
def test_a_test_is_tried_once_and_counts_as_nothing(desk_of: DeskOf, answer: Answer) -> None:
    with receiver(answer) as own:
        desk = desk_of(own)
        for _pressed_twice in range(2):
            desk.queues.push_test(desk.hook, START)
        desk.pass_by(DAY)
        bodies = own.bodies(desk.hook.secret)
    assert [(body["type"], body["game"], body["player"]) for body in bodies] == [
        ("test", None, ANA)
    ]
    assert desk.waiting(TESTS) == 0
    assert desk.shown().last is not None
    assert desk.shown().failures == 0


def test_games_of_which_nothing_more_came_are_forgotten_in_time(desk_of: DeskOf) -> None:
    with receiver(says(204)) as own:
        desk = desk_of(own)
        told = f"pepper:{{p:{ANA}}}:webhook:{desk.hook.id}:told"
        desk.tell(1)
        for number in range(SWEPT_EACH - 3):
            desk.client.hset(told, f"g_2{number}", f"9 {1_000_000 + number}")
        desk.client.hset(told, "g_2before", "9")
        desk.tell(1, game=OTHER)
        assert {*cast(list[bytes], desk.client.hkeys(told))} == {GAME.encode(), OTHER.encode()}
        desk.tell(1)
        desk.tell(1, 2, game=OTHER)
        desk.work()
        assert len(own.came) == 3


def test_a_deleted_webhook_is_told_nothing(desk_of: DeskOf) -> None:
    with receiver(says(200)) as own:
        desk = desk_of(own)
        desk.tell(1)
        desk.queues.delete(ANA, desk.hook.id)
        desk.tell(2)
        desk.work()
        assert own.came == []
    assert desk.client.keys("*") == []
    with pytest.raises(WebhookUnknown):
        desk.shown()


def test_one_deleted_while_it_is_delivered_stays_deleted(desk_of: DeskOf) -> None:
    def deleting(handler: Any) -> None:
        desk.queues.delete(ANA, desk.hook.id)
        says(500)(handler)

    with receiver(deleting) as own:
        desk = desk_of(own)
        desk.tell(1, 2)
        desk.pass_by(DAY)
        assert len(own.came) == 1
    assert desk.client.keys("*") == []


def test_the_end_of_a_game_leaves_nothing(desk_of: DeskOf) -> None:
    with receiver(says(200)) as own:
        desk = desk_of(own)
        desk.tell(1)
        desk.tell(2, topic=Topic.GAME_FINISHED)
        desk.work()
    record = f"pepper:{{p:{ANA}}}:webhook:{desk.hook.id}"
    assert set(desk.client.keys("*")) == {record.encode(), f"pepper:{{p:{ANA}}}:webhooks".encode()}


def test_the_queues_of_two_players_are_apart(desk_of: DeskOf) -> None:
    with receiver(says(200)) as own:
        desk = desk_of(own)
        with pytest.raises(WebhookUnknown):
            desk.webhooks.get(PlayerId("p_ben"), desk.hook.id)
        place = Place(PlayerId("p_ben"), desk.hook.id, GAME)
        desk.tell(1)
        assert desk.queues.head(place) is None
