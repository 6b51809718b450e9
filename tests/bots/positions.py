"""Positions for tests of bots: hands by name, calls and cards in turn, then a seat's view."""

from collections.abc import Mapping
from random import Random

from events.catalogue import BidMade, CardPlayed, Event, Passed, RoundDealt, TrumpNamed
from events.vocabulary import CARDS, Bid, BotLevel, Card, Seat, Trump, cards_in, hand_of
from service.bots.strategy import choose
from service.game.evolve import evolve
from service.game.position import Position
from service.game.state import Game, seat_to_act
from service.rules.deck import CARDS_EACH
from service.rules.house_rules import OptionValue
from service.views.seat_view import seat_view
from service.views.shapes import ActionBody, SeatView
from tests.scenario import CHANCE, GAME, dealt, founded


def hands_with(players: int, named: Mapping[int, str], dealer: int) -> RoundDealt:
    """A deal in which some seats hold named cards; the others' come from the rest, in order."""
    rest = [card.value for card in CARDS if not any(card.value in held for held in named.values())]
    hands = []
    for seat in range(players):
        held = named.get(seat, "").split()
        more = CARDS_EACH[players] - len(held)
        hands.append(" ".join([*held, *rest[:more]]))
        rest = rest[more:]
    return dealt(*hands, dealer=dealer, dead_hand=" ".join(rest))


def position(
    named: Mapping[int, str],
    actions: str = "",
    *,
    players: int = 4,
    dealer: int = 3,
    rules: Mapping[str, OptionValue] | None = None,
) -> Position:
    """The position after these actions, in turn: `3 pass pass pass S JS`."""
    events: list[Event] = list(founded(players, ("bot",) * players, rules=rules))
    events[-1] = hands_with(players, named, dealer)
    game: Game | None = None
    for event in events:
        game = evolve(game, event)
    assert game is not None
    for action in actions.split():
        seat = seat_to_act(game)
        assert seat is not None
        game = evolve(game, _event(seat, action, game))
    version = len(events) + len(actions.split())
    return Position(GAME, game, version, bytes(8), 0, 0, CHANCE.seed)


def _event(seat: Seat, action: str, game: Game) -> Event:
    if action == "pass":
        return Passed(seat)
    if type(game).__name__ == "NamingTrump":
        return TrumpNamed(seat, Trump(action))
    if type(game).__name__ == "Playing":
        return CardPlayed(seat, Card(action))
    return BidMade(seat, Bid(action))


def view_on_turn(at: Position) -> SeatView:
    """What the seat on turn sees."""
    seat = seat_to_act(at.game)
    assert seat is not None
    return seat_view(at, seat)


def choice(at: Position, level: BotLevel = BotLevel.CLUB, seed: int = 1) -> str:
    """What a bot on turn does, in one word."""
    return word(choose(view_on_turn(at), Random(seed), level))


def word(body: ActionBody) -> str:
    """An action in one word: `pass`, the bid, the trump or the card."""
    return body.get("bid") or body.get("trump") or body.get("card") or body["type"]


def redealt(at: Position, seat: Seat, rng: Random) -> Position:
    """The same position with other cards wherever the seat cannot see them."""
    game = at.game
    hands, dead_hand = game.hands, game.dealt.dead_hand  # type: ignore[union-attr]  # cards are dealt
    others = [other for other in range(len(hands)) if other != seat]
    hidden = [card for other in others for card in cards_in(hands[other])]
    hidden += cards_in(dead_hand)
    rng.shuffle(hidden)
    changed = list(hands)
    for other in others:
        held = changed[other].bit_count()
        changed[other], hidden = hand_of(hidden[:held]), hidden[held:]
    deal = game.dealt._replace(dead_hand=hand_of(hidden))  # type: ignore[union-attr]  # as above
    return at._replace(game=game._replace(hands=tuple(changed), dealt=deal))  # type: ignore[call-arg]  # as above
