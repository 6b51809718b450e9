"""What a command makes happen: events, or a refusal. Total: nothing a player does raises."""

from collections.abc import Callable
from typing import Any, NamedTuple

from events.catalogue import BidMade, CardPlayed, Event, Passed, RoundDealt, TrumpNamed
from events.vocabulary import CARDS, Cause, GameId, Seat, Trump
from service.game import clocks, lifecycle
from service.game.commands import (
    AbortGame,
    Action,
    Command,
    Expire,
    ExtendClock,
    GiveEntropy,
    InvitePlayer,
    LeaveSeat,
    MakeBid,
    NameTrump,
    Pass,
    PlayCard,
    SeatBot,
    StartGame,
    TakeOver,
    TakeSeat,
)
from service.game.evolve import evolve
from service.game.refusals import Reason, Refusal
from service.game.state import (
    Bidding,
    Dealing,
    Game,
    Gathering,
    NamingTrump,
    Playing,
    is_bots,
    is_over,
    seat_to_act,
)
from service.rules import auction
from service.rules.deck import CARDS_EACH, deal
from service.rules.fair_shuffle import first_dealer, shuffled_deck
from service.rules.house_rules import NoTrump
from service.rules.trick import legal_plays

Decision = tuple[Event, ...] | Refusal


class Chance(NamedTuple):
    """Where a game's shuffles come from: its secret seed and its id."""

    seed: bytes
    game: GameId


def decide(game: Game, command: Command, chance: Chance, cause: Cause = Cause.PLAYER) -> Decision:
    """The events that a command makes happen, chance included, or why it is turned down."""
    if is_over(game):
        return Refusal(Reason.GAME_OVER, "The game is over.")
    if isinstance(command, Action):
        return _with_deal(game, _act(game, command, cause), chance)
    return _with_deal(game, _LIFECYCLE[type(command)](game, command), chance)


def _with_deal(game: Game, decision: Decision, chance: Chance) -> Decision:
    if isinstance(decision, Refusal) or _is_inside_round(game, decision):
        return decision
    after = game
    for event in decision:
        after = evolve(after, event)
    if not isinstance(after, Dealing):
        return decision
    return (*decision, next_deal(after, chance))


def _is_inside_round(game: Game, decision: tuple[Event, ...]) -> bool:
    if not isinstance(game, Playing):
        return not decision
    is_last_trick = len(game.tricks) == CARDS_EACH[game.setup.players] - 1
    return not (is_last_trick and len(game.plays) == len(game.order) - 1)


def next_deal(game: Dealing, chance: Chance) -> RoundDealt:
    """The deal that follows, from the game's own seed (R6–R8)."""
    setup, last = game.setup, game.match.last_round
    entropies = [place.entropy for place in setup.places]
    if last is None:
        dealer = first_dealer(chance.seed, chance.game, entropies, setup.players)
    else:
        dealer = Seat((last.dealer + 1) % setup.players)
    number = last.number + 1 if last else 1
    deck = shuffled_deck(chance.seed, chance.game, entropies, number)
    hands, dead_hand = deal(deck, dealer, setup.players)
    return RoundDealt(dealer, hands, dead_hand)


def _act(game: Game, command: Action, cause: Cause) -> Decision:
    place = game.setup.places[command.seat]
    if cause is Cause.PLAYER and place.acting_bot:
        return Refusal(Reason.BOT_IS_ACTING, "A bot acts for you: take your seat back first.")
    if cause is Cause.BOT and not is_bots(place):
        return Refusal(Reason.NOT_SEATED, "No bot acts at this seat any more.")
    if cause is Cause.TIMEOUT and clocks.running_clock(game) is None:
        return Refusal(Reason.NOT_SEATED, "No clock runs at this seat any more.")
    if isinstance(game, Gathering):
        return Refusal(Reason.NOT_STARTED, "The game has not started.")
    phase, decision = _ACTIONS[type(command)]
    if not isinstance(game, phase):
        return Refusal(Reason.WRONG_PHASE, f"This is not the time to {_DEED[type(command)]}.")
    if seat_to_act(game) != command.seat:
        return Refusal(Reason.NOT_YOUR_TURN, f"It is the turn of seat {seat_to_act(game)}.")
    return decision(game, command)


def _make_bid(game: Bidding, command: MakeBid) -> Decision:
    players = game.setup.players
    if command.bid not in auction.bids_for(players):
        return Refusal(Reason.BID_NOT_IN_LIST, f"With {players} players nobody bids {command.bid}.")
    if command.bid not in auction.higher_bids(game.standing, players):
        return Refusal(Reason.BID_TOO_LOW, f"The highest bid is {game.standing.highest}.")
    return (BidMade(command.seat, command.bid),)


def must_bid(game: Bidding) -> bool:
    """Whether the seat to call may not pass (R13, R24)."""
    setup = game.setup
    return auction.must_bid(
        game.standing, game.dealt.dealer, setup.players, setup.rules, game.match.thrown_in_row
    )


def _pass(game: Bidding, command: Pass) -> Decision:
    if must_bid(game):
        return Refusal(Reason.MUST_BID, "Nobody has bid: the dealer must.")
    return (Passed(command.seat),)


def trumps_allowed(game: NamingTrump) -> tuple[Trump, ...]:
    """What the declarer may name (R14, `no_trump`)."""
    rule = game.setup.rules.no_trump
    if rule is NoTrump.HIGH_LOW:
        return tuple(Trump)
    return tuple(
        trump
        for trump in Trump
        if trump is not Trump.LOW and not (trump is Trump.NONE and rule is NoTrump.OFF)
    )


def _name_trump(game: NamingTrump, command: NameTrump) -> Decision:
    if command.trump not in trumps_allowed(game):
        return Refusal(Reason.TRUMP_NOT_ALLOWED, f"This game has no contract {command.trump}.")
    return (TrumpNamed(command.seat, command.trump),)


def playable(game: Playing, seat: Seat) -> int:
    """The cards that the seat may play now, as a bit mask (R15)."""
    trump = game.contract.trump
    lead = game.plays[0] if game.plays else None
    return legal_plays(game.hands[seat], lead, trump.number)  # type: ignore[union-attr]  # named


def _play_card(game: Playing, command: PlayCard) -> Decision:
    seat, card = command.seat, command.card.number
    if not game.hands[seat] >> card & 1:
        return Refusal(Reason.CARD_NOT_IN_HAND, "You do not hold this card.")
    if not playable(game, seat) >> card & 1:
        return Refusal(Reason.MUST_FOLLOW_SUIT, "You hold a card of the suit led.")
    return (CardPlayed(seat, command.card),)


_ACTIONS: dict[type[Action], tuple[type[Game], Callable[[Any, Any], Decision]]] = {
    MakeBid: (Bidding, _make_bid),
    Pass: (Bidding, _pass),
    NameTrump: (NamingTrump, _name_trump),
    PlayCard: (Playing, _play_card),
}
_DEED: dict[type[Action], str] = {
    MakeBid: "bid",
    Pass: "pass",
    NameTrump: "name trump",
    PlayCard: "play a card",
}
_LIFECYCLE: dict[type[Command], Callable[[Game, Any], Decision]] = {
    TakeSeat: lifecycle.take_seat,
    LeaveSeat: lifecycle.leave_seat,
    SeatBot: lifecycle.seat_bot,
    InvitePlayer: lifecycle.invite_player,
    GiveEntropy: lifecycle.give_entropy,
    StartGame: lifecycle.start_game,
    AbortGame: lifecycle.abort_game,
    TakeOver: clocks.take_over,
    ExtendClock: clocks.extend_clock,
    Expire: clocks.expire,
}


def legal_actions(game: Game) -> tuple[Action, ...]:
    """Everything that the seat on turn may do."""
    seat = seat_to_act(game)
    if seat is None:
        return ()
    if isinstance(game, Playing):
        return _plays(game, seat)
    if isinstance(game, Bidding):
        bids = auction.higher_bids(game.standing, game.setup.players)
        made = tuple(MakeBid(seat, bid) for bid in bids)
        return made if must_bid(game) else (Pass(seat), *made)
    assert isinstance(game, NamingTrump)  # noqa: S101  (the only phase left with a turn)
    return tuple(NameTrump(seat, trump) for trump in trumps_allowed(game))


def _plays(game: Playing, seat: Seat) -> tuple[PlayCard, ...]:
    mask = playable(game, seat)
    return tuple(play for play in PLAYS[seat] if mask >> play.card.number & 1)


PLAYS = tuple(tuple(PlayCard(Seat(seat), card) for card in CARDS) for seat in range(4))
