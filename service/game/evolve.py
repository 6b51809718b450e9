"""What an event makes of a game. No rule is checked here: what cannot be is a corrupt log."""

from collections.abc import Callable
from typing import Any

from events.catalogue import (
    BidMade,
    BotSeated,
    CardPlayed,
    ClockExtended,
    EntropyGiven,
    Event,
    GameAborted,
    GameCreated,
    GameStarted,
    Passed,
    RoundDealt,
    SeatHandedOver,
    SeatInvited,
    SeatLeft,
    SeatTaken,
    SeatTakenBack,
    TrumpNamed,
)
from service.game import seating
from service.game.state import (
    Aborted,
    Bidding,
    Call,
    Contract,
    Dealing,
    Dealt,
    Finished,
    Game,
    Gathering,
    Match,
    NamingTrump,
    Playing,
    Round,
    Taken,
    seat_to_act,
    sitting_out,
)
from service.rules import auction, scoring
from service.rules.deck import CARDS_EACH, side_of, sides
from service.rules.house_rules import FirstLead
from service.rules.trick import strongest


class CorruptLog(Exception):
    """An event that cannot follow what is before it."""


def evolve(game: Game | None, event: Event) -> Game:
    """The game after an event; raises CorruptLog on the impossible."""
    if game is None:
        if not isinstance(event, GameCreated):
            raise CorruptLog(f"{type(event).__name__} before GameCreated")
        return _created(event)
    try:
        return _AFTER[type(event)](game, event)
    except (KeyError, IndexError, AttributeError) as fault:
        raise CorruptLog(f"{type(event).__name__} while {type(game).__name__}") from fault


def evolve_all(game: Game | None, first: Event, *others: Event) -> Game:
    """The game after some events, one at least; raises CorruptLog on the impossible."""
    after = evolve(game, first)
    for event in others:
        after = evolve(after, event)
    return after


def _created(event: GameCreated) -> Game:
    try:
        return seating.created(event)
    except (TypeError, ValueError) as fault:
        raise CorruptLog("GameCreated with rules that nobody can play") from fault


def _started(game: Game, _event: GameStarted) -> Game:
    if type(game) is not Gathering:
        raise CorruptLog("started twice")
    setup = seating.started(game.setup)
    return Dealing(setup, Match((0,) * sides(setup.players), None, None, 0, 0))


def _aborted(game: Game, _event: GameAborted) -> Game:
    if isinstance(game, Gathering | Dealing | Bidding):
        return Aborted(game.setup, game)
    raise CorruptLog("aborted too late")


def _clock_extended(game: Game, event: ClockExtended) -> Game:
    if game.setup.clock is None or seat_to_act(game) != event.seat:
        raise CorruptLog("time given back where no clock runs")
    return game


def _round_dealt(game: Game, event: RoundDealt) -> Game:
    if type(game) is not Dealing:
        raise CorruptLog("dealt during a round")
    last = game.match.last_round
    dealt = Dealt(last.number + 1 if last else 1, event.dealer, event.dead_hand)
    standing = auction.opening(event.dealer, game.setup.players)
    return Bidding(game.setup, game.match, dealt, event.hands, (), standing)


def _bid(game: Game, event: BidMade) -> Game:
    if type(game) is not Bidding:
        raise CorruptLog("a bid outside the auction")
    setup = game.setup
    standing = auction.after_bid(game.standing, event.bid, setup.players, setup.rules.auction)
    return _called(game, Call(event.seat, event.bid), standing)


def _passed(game: Game, event: Passed) -> Game:
    if type(game) is not Bidding:
        raise CorruptLog("a pass outside the auction")
    setup = game.setup
    standing = auction.after_pass(game.standing, setup.players, setup.rules.auction)
    return _called(game, Call(event.seat, None), standing)


def _called(game: Bidding, call: Call, standing: auction.Standing) -> Game:
    if call.seat != game.standing.to_call:
        raise CorruptLog("a call out of turn")
    setup, calls = game.setup, (*game.auction, call)
    if not auction.is_over(standing, setup.players, setup.rules.auction):
        return Bidding(setup, game.match, game.dealt, game.hands, calls, standing)
    if standing.highest is None:
        return _thrown_in(game, calls)
    contract = Contract(standing.declarer, standing.highest, None)
    return NamingTrump(setup, game.match, game.dealt, game.hands, calls, contract)


def _thrown_in(game: Bidding, calls: tuple[Call, ...]) -> Game:
    match, nothing = game.match, (0,) * sides(game.setup.players)
    thrown = Round(
        game.dealt.number, game.dealt.dealer, calls, None, (), nothing, nothing, match.scores
    )
    after = match._replace(last_round=thrown, thrown_in_row=match.thrown_in_row + 1)
    if thrown.number < scoring.LAST_ROUND:
        return Dealing(game.setup, after)
    return Finished(
        game.setup, after, scoring.winners(match.scores, thrown.number, game.setup.rules)
    )


def _trump_named(game: Game, event: TrumpNamed) -> Game:
    if type(game) is not NamingTrump or event.seat != game.contract.declarer:
        raise CorruptLog("trump named out of turn")
    setup, declarer = game.setup, game.contract.declarer
    contract = Contract(declarer, game.contract.bid, event.trump)
    orders = ORDERS[setup.players, sitting_out(game)]
    leader = declarer
    if setup.rules.first_lead is FirstLead.LEFT_OF_DEALER:
        leader = (game.dealt.dealer + 1) % setup.players
    won = (0,) * sides(setup.players)
    return Playing(
        setup,
        game.match,
        game.dealt,
        game.hands,
        game.auction,
        contract,
        orders,
        orders[leader],
        (),
        (),
        won,
    )


def _card_played(game: Game, event: CardPlayed) -> Game:
    if type(game) is not Playing:
        raise CorruptLog("a card outside the trick phase")
    setup, match, dealt, hands, calls, contract, orders, order, plays, tricks, won = game
    seat, card = event.seat, event.card.number
    if order[len(plays)] != seat or not hands[seat] >> card & 1:
        raise CorruptLog("a card out of turn, or not in the hand")
    masks = list(hands)
    masks[seat] ^= 1 << card  # type: ignore[call-overload]  # a Hand is an int
    plays = (*plays, card)
    if len(plays) < len(order):
        return Playing(
            setup, match, dealt, tuple(masks), calls, contract, orders, order, plays, tricks, won
        )
    winner = order[strongest(plays, contract.trump.number)]  # type: ignore[union-attr]  # named
    taken = Taken(order, plays, winner)
    side = side_of(winner, setup.players)
    won = (*won[:side], won[side] + 1, *won[side + 1 :])
    tricks = (*tricks, taken)
    match = Match(match.scores, match.last_round, taken, dealt.number, match.thrown_in_row)
    after = Playing(
        setup, match, dealt, tuple(masks), calls, contract, orders, orders[winner], (), tricks, won
    )
    return after if len(tricks) < CARDS_EACH[setup.players] else _scored(after)


def _scored(game: Playing) -> Game:
    setup, match, contract = game.setup, game.match, game.contract
    points = scoring.points(
        contract.bid, contract.declarer, game.tricks_won, setup.players, setup.rules
    )
    scores = tuple(before + earned for before, earned in zip(match.scores, points, strict=True))
    played = Round(
        game.dealt.number,
        game.dealt.dealer,
        game.auction,
        contract,
        game.tricks,
        game.tricks_won,
        points,
        scores,
    )
    after = Match(scores, played, match.last_trick, match.last_trick_round, 0)
    winners = scoring.winners(scores, played.number, setup.rules)
    return Finished(setup, after, winners) if winners else Dealing(setup, after)


def _turn_order(leader: int, players: int, out: int | None) -> tuple[int, ...]:
    clockwise = ((leader + step) % players for step in range(players))
    return tuple(seat for seat in clockwise if seat != out)


ORDERS = {
    (players, out): tuple(_turn_order(leader, players, out) for leader in range(players))
    for players, outs in ((2, (None,)), (3, (None,)), (4, (None, 0, 1, 2, 3)))
    for out in outs
}
"""By number of players and seat that sits out, then by leader: who plays to a trick, in order."""


_AFTER: dict[type[Event], Callable[[Game, Any], Game]] = {
    SeatTaken: seating.taken,
    SeatLeft: seating.left,
    SeatInvited: seating.invited,
    BotSeated: seating.bot_seated,
    EntropyGiven: seating.entropy_given,
    GameStarted: _started,
    SeatHandedOver: seating.handed_over,
    SeatTakenBack: seating.taken_back,
    GameAborted: _aborted,
    ClockExtended: _clock_extended,
    RoundDealt: _round_dealt,
    BidMade: _bid,
    Passed: _passed,
    TrumpNamed: _trump_named,
    CardPlayed: _card_played,
}
