"""Seats: who may sit, move, leave, come back, arrange, start and abort."""

import pytest

from events.catalogue import (
    BotSeated,
    EntropyGiven,
    GameAborted,
    GameStarted,
    RoundDealt,
    SeatHandedOver,
    SeatInvited,
    SeatLeft,
    SeatTaken,
    SeatTakenBack,
)
from events.vocabulary import BotLevel, Card, Cause, PlayerId, Seat
from service.game.commands import (
    AbortGame,
    CreateGame,
    GiveEntropy,
    InvitePlayer,
    LeaveSeat,
    Pass,
    PlayCard,
    SeatBot,
    SeatWish,
    StartGame,
    TakeSeat,
)
from service.game.founding import found
from service.game.refusals import Reason, Refusal
from tests.scenario import ALICE, BOB, CAROL, CHANCE, DAVE, Given, founded, given

NOW = 1_700_000_000_000
OPEN_TABLE = founded(4, ("me", "open", "open", "open"))
TWO_OPEN = (*founded(3, ("me", "open", "open")), SeatTaken(Seat(1), BOB))
RUNNING = (
    *founded(4, ("me", "bot", "open", "bot")),
    SeatTaken(Seat(2), BOB),
    GameStarted(),
    founded(4)[-1],
)
HANDED = (*RUNNING, SeatHandedOver(Seat(2), BotLevel.CLUB, "1", left=True))


def take(player: PlayerId, seat: int | None = None, *, is_bot: bool = False) -> TakeSeat:
    return TakeSeat(player, None if seat is None else Seat(seat), is_bot, NOW)


def events_of(table: Given, command: TakeSeat) -> tuple[object, ...]:
    decision = table.when(command).decision
    assert isinstance(decision, tuple), decision
    return decision


def test_the_lowest_open_seat_is_taken() -> None:
    given(*OPEN_TABLE).when(take(BOB)).then(SeatTaken(Seat(1), BOB))


def test_taking_another_seat_moves() -> None:
    given(*TWO_OPEN).when(take(BOB, 2)).then(SeatTaken(Seat(2), BOB))
    moved = given(*TWO_OPEN, SeatTaken(Seat(2), BOB)).game
    assert [place.player for place in moved.setup.places] == [ALICE, None, BOB]


def test_taking_ones_seat_again_changes_nothing() -> None:
    given(*TWO_OPEN).when(take(BOB)).then()
    given(*TWO_OPEN).when(take(BOB, 1)).then()


@pytest.mark.parametrize(
    ("player", "seat", "reason"),
    [(CAROL, 0, Reason.SEAT_TAKEN), (CAROL, 7, Reason.SEAT_UNKNOWN)],
)
def test_seats_that_cannot_be_taken(player: PlayerId, seat: int, reason: Reason) -> None:
    given(*TWO_OPEN).when(take(player, seat)).then_refused(reason)


def test_the_last_seat_starts_the_game_and_deals() -> None:
    taken, started, dealt = events_of(given(*TWO_OPEN), take(CAROL))
    assert (taken, started) == (SeatTaken(Seat(2), CAROL), GameStarted())
    assert isinstance(dealt, RoundDealt)


def test_moving_to_the_last_open_seat_does_not_start_the_game() -> None:
    given(*TWO_OPEN).when(take(BOB, 2)).then(SeatTaken(Seat(2), BOB))


def test_entropy_comes_with_the_seat_and_is_cleared_by_leaving() -> None:
    command = TakeSeat(BOB, Seat(1), is_bot=False, now=NOW, entropy="dice")
    given(*OPEN_TABLE).when(command).then(SeatTaken(Seat(1), BOB), EntropyGiven(Seat(1), "dice"))
    table = given(*OPEN_TABLE, SeatTaken(Seat(1), BOB), EntropyGiven(Seat(1), "dice"))
    assert table.game.setup.places[1].entropy == "dice"
    left = given(
        *OPEN_TABLE, SeatTaken(Seat(1), BOB), EntropyGiven(Seat(1), "dice"), SeatLeft(Seat(1))
    )
    assert left.game.setup.places[1].entropy is None


def test_entropy_is_given_by_the_seats_own_player_before_the_start() -> None:
    given(*TWO_OPEN).when(GiveEntropy(BOB, Seat(1), "x")).then(EntropyGiven(Seat(1), "x"))
    given(*TWO_OPEN).when(GiveEntropy(BOB, Seat(0), "x")).then_refused(Reason.NOT_SEATED)
    given(*RUNNING).when(GiveEntropy(BOB, Seat(2), "x")).then_refused(Reason.ALREADY_STARTED)


def test_the_creator_may_empty_any_seat_and_others_only_their_own() -> None:
    given(*TWO_OPEN).when(LeaveSeat(ALICE, Seat(1))).then(SeatLeft(Seat(1)))
    given(*TWO_OPEN).when(LeaveSeat(BOB, Seat(1))).then(SeatLeft(Seat(1)))
    given(*TWO_OPEN).when(LeaveSeat(BOB, Seat(0))).then_refused(Reason.NOT_SEATED)
    given(*TWO_OPEN).when(LeaveSeat(BOB, Seat(2))).then_refused(Reason.NOT_SEATED)


def test_the_lowest_person_inherits_the_game() -> None:
    table = given(*TWO_OPEN, SeatLeft(Seat(0)))
    assert table.game.setup.creator == BOB
    table.when(SeatBot(BOB, Seat(2), BotLevel.CLUB)).then(BotSeated(Seat(2), BotLevel.CLUB, "1"))


def test_moving_keeps_the_game_ones_own() -> None:
    assert given(*TWO_OPEN, SeatTaken(Seat(2), ALICE)).game.setup.creator == ALICE


def test_when_nobody_is_left_the_game_is_aborted() -> None:
    given(*OPEN_TABLE).when(LeaveSeat(ALICE, Seat(0))).then(SeatLeft(Seat(0)), GameAborted())


def test_only_the_creator_seats_bots() -> None:
    given(*TWO_OPEN).when(SeatBot(BOB, Seat(2), BotLevel.CLUB)).then_refused(Reason.NOT_CREATOR)
    given(*TWO_OPEN).when(SeatBot(ALICE, Seat(1), BotLevel.CLUB)).then_refused(Reason.SEAT_TAKEN)
    given(*RUNNING).when(SeatBot(ALICE, Seat(1), BotLevel.CLUB)).then_refused(
        Reason.ALREADY_STARTED
    )


def test_a_kept_seat_is_only_for_its_player_until_the_time_is_up() -> None:
    invited = SeatInvited(Seat(1), DAVE, NOW + 1)
    table = given(*OPEN_TABLE, invited)
    given(*OPEN_TABLE).when(InvitePlayer(ALICE, Seat(1), DAVE, NOW + 1)).then(invited)
    table.when(take(BOB, 1)).then_refused(Reason.SEAT_RESERVED)
    table.when(take(BOB)).then(SeatTaken(Seat(2), BOB))
    table.when(take(DAVE)).then(SeatTaken(Seat(1), DAVE))
    late = TakeSeat(BOB, Seat(1), is_bot=False, now=NOW + 1)
    table.when(late).then(SeatTaken(Seat(1), BOB))


def test_engines_stay_out_where_the_game_says_so() -> None:
    people = founded(2, ("me", "open"), allow_bots=False)
    given(*people).when(take(BOB, is_bot=True)).then_refused(Reason.BOTS_NOT_ALLOWED)


def test_a_manual_start_is_the_creators() -> None:
    full = (*founded(2, ("me", "open"), start="manual"), SeatTaken(Seat(1), BOB))
    given(*full).when(StartGame(BOB)).then_refused(Reason.NOT_CREATOR)
    started = given(*full).when(StartGame(ALICE)).decision
    assert isinstance(started, tuple)
    assert started[0] == GameStarted()
    empty = founded(2, ("me", "open"), start="manual")
    given(*empty).when(StartGame(ALICE)).then_refused(Reason.SEATS_STILL_OPEN)
    given(*TWO_OPEN).when(StartGame(ALICE)).then_refused(Reason.STARTS_BY_ITSELF)
    given(*RUNNING).when(StartGame(ALICE)).then_refused(Reason.ALREADY_STARTED)


def test_a_game_is_aborted_by_its_creator_before_the_first_call() -> None:
    given(*OPEN_TABLE).when(AbortGame(ALICE)).then(GameAborted())
    given(*RUNNING).when(AbortGame(BOB)).then_refused(Reason.NOT_CREATOR)
    running = given(*RUNNING)
    running.when(AbortGame(ALICE)).then(GameAborted())
    caller = Seat((founded(4)[-1].dealer + 1) % 4)  # type: ignore[union-attr]  # a deal
    called = running.when(Pass(caller), Cause.BOT if caller in (1, 3) else Cause.PLAYER)
    assert isinstance(called.decision, tuple)
    given(*RUNNING, *called.decision).when(AbortGame(ALICE)).then_refused(Reason.TOO_LATE_TO_ABORT)


def test_after_the_end_everything_is_refused() -> None:
    over = given(*OPEN_TABLE, GameAborted())
    for command in (take(BOB), LeaveSeat(ALICE, Seat(0)), AbortGame(ALICE), Pass(Seat(0))):
        over.when(command).then_refused(Reason.GAME_OVER)


def test_leaving_a_running_game_hands_the_seat_to_a_bot_once() -> None:
    given(*RUNNING).when(LeaveSeat(BOB, Seat(2))).then(
        SeatHandedOver(Seat(2), BotLevel.CLUB, "1", left=True)
    )
    given(*HANDED).when(LeaveSeat(BOB, Seat(2))).then()


def test_who_left_must_take_the_seat_back_before_acting() -> None:
    given(*HANDED).when(PlayCard(Seat(2), Card.ACE_CLUBS)).then_refused(Reason.BOT_IS_ACTING)
    given(*HANDED).when(take(BOB)).then(SeatTakenBack(Seat(2)))
    given(*HANDED).when(take(BOB, 2)).then(SeatTakenBack(Seat(2)))
    given(*HANDED, SeatTakenBack(Seat(2))).when(take(BOB, 2)).then()


def test_no_bot_acts_where_a_person_is_back() -> None:
    given(*RUNNING).when(Pass(Seat(2)), Cause.BOT).then_refused(Reason.NOT_SEATED)


def test_who_left_may_not_sit_elsewhere() -> None:
    given(*HANDED).when(take(BOB, 1)).then_refused(Reason.ALREADY_SEATED)


def test_the_creator_opens_a_left_seat_for_a_substitute() -> None:
    given(*RUNNING).when(LeaveSeat(ALICE, Seat(2))).then_refused(Reason.ALREADY_STARTED)
    given(*HANDED).when(LeaveSeat(ALICE, Seat(2))).then(SeatLeft(Seat(2)))
    opened = given(*HANDED, SeatLeft(Seat(2)))
    assert opened.game.setup.places[2].acting_bot
    opened.when(take(CAROL)).then(SeatTaken(Seat(2), CAROL))
    opened.when(take(BOB, 2)).then(SeatTaken(Seat(2), BOB))


def test_the_creator_opens_a_seat_whose_time_was_over_but_none_of_who_is_back() -> None:
    late = (*RUNNING, SeatHandedOver(Seat(2), BotLevel.CLUB, "1", left=False))
    opened = given(*late, SeatLeft(Seat(2)))
    given(*late).when(LeaveSeat(ALICE, Seat(2))).then(SeatLeft(Seat(2)))
    opened.when(take(CAROL, 2)).then(SeatTaken(Seat(2), CAROL))
    opened.when(take(BOB, 2)).then(SeatTaken(Seat(2), BOB))
    opened.when(LeaveSeat(ALICE, Seat(2))).then()
    back = given(*late, SeatTakenBack(Seat(2)))
    back.when(LeaveSeat(ALICE, Seat(2))).then_refused(Reason.ALREADY_STARTED)
    given(*late).when(LeaveSeat(CAROL, Seat(2))).then_refused(Reason.NOT_SEATED)


def test_who_has_held_a_seat_may_not_sit_on_another() -> None:
    table = given(
        *HANDED,
        SeatLeft(Seat(2)),
        SeatTaken(Seat(2), CAROL),
        SeatHandedOver(Seat(0), BotLevel.CLUB, "1", left=True),
        SeatLeft(Seat(0)),
    )
    table.when(take(BOB, 0)).then_refused(Reason.HELD_ANOTHER_SEAT)
    table.when(take(DAVE, 0)).then(SeatTaken(Seat(0), DAVE))


@pytest.mark.parametrize(
    ("wishes", "reason"),
    [
        ((SeatWish("me"),), Reason.SEATS_INVALID),
        ((SeatWish("me"), SeatWish("me")), Reason.SEATS_INVALID),
        ((SeatWish("me"), SeatWish("player", player=ALICE)), Reason.SEATS_INVALID),
    ],
)
def test_wishes_that_do_not_fit(wishes: tuple[SeatWish, ...], reason: Reason) -> None:
    decision = found(CreateGame(ALICE, 2, wishes), CHANCE)
    assert isinstance(decision, Refusal)
    assert decision.reason is reason


def test_rules_that_do_not_fit_are_named() -> None:
    command = CreateGame(ALICE, 2, (SeatWish("me"), SeatWish("bot")), {"pepper_alone": True})
    decision = found(command, CHANCE)
    assert decision == Refusal(Reason.RULES_INVALID, "pepper_alone: only for 4 players")
