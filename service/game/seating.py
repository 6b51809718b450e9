"""What the events about seats make of a game's setup, before the start and after it."""

from events.catalogue import (
    BotSeated,
    EntropyGiven,
    GameCreated,
    SeatHandedOver,
    SeatInvited,
    SeatLeft,
    SeatTaken,
    SeatTakenBack,
)
from events.vocabulary import PlayerId
from service.game.state import OPEN_PLACE, Game, Gathering, Kind, Place, Setup
from service.rules.fair_shuffle import commitment
from service.rules.house_rules import house_rules


def created(event: GameCreated) -> Gathering:
    """A new game, every seat open."""
    return Gathering(
        Setup(
            players=event.players,
            rules=house_rules(event.rules, event.players),
            rules_version=event.rules_version,
            creator=event.creator,
            visibility=event.visibility,
            start=event.start,
            hints=event.hints,
            allow_bots=event.allow_bots,
            commitment=commitment(event.seed),
            rematch_of=event.rematch_of,
            clock=event.clock,
            expires_in=event.expires_in,
            places=(OPEN_PLACE,) * event.players,
            held=frozenset(),
        )
    )


def started(setup: Setup) -> Setup:
    """The setup from the start on, when it counts who has held which seat."""
    held = {
        (place.player, seat) for seat, place in enumerate(setup.places) if place.player is not None
    }
    return setup._replace(held=frozenset(held))


def taken(game: Game, event: SeatTaken) -> Game:
    """A player at a seat; whoever moves leaves the seat they had."""
    setup = game.setup
    places = [OPEN_PLACE if place.player == event.player else place for place in setup.places]
    places[event.seat] = Place(Kind.HUMAN, event.player, entropy=setup.places[event.seat].entropy)
    held = setup.held
    if not isinstance(game, Gathering):
        held = held | {(event.player, event.seat)}
    return game._replace(setup=setup._replace(places=tuple(places), held=held))


def left(game: Game, event: SeatLeft) -> Game:
    """An open seat; after the start the bot goes on acting there."""
    before = game.setup.places[event.seat]
    if not isinstance(game, Gathering):
        return _at(
            game,
            event.seat,
            before._replace(kind=Kind.OPEN, player=None, left=False, reserved_for=None),
        )
    after = _at(game, event.seat, OPEN_PLACE)
    if before.player != game.setup.creator:
        return after
    return after._replace(setup=after.setup._replace(creator=_heir(after.setup)))


def _heir(setup: Setup) -> PlayerId:
    persons = (place.player for place in setup.places if place.player is not None)
    return next(persons, setup.creator)


def invited(game: Game, event: SeatInvited) -> Game:
    """An open seat kept for a player."""
    place = OPEN_PLACE._replace(reserved_for=event.player, reserved_until=event.until)
    return _at(game, event.seat, place)


def bot_seated(game: Game, event: BotSeated) -> Game:
    """A bot at a seat."""
    return _at(game, event.seat, Place(Kind.BOT, level=event.level, engine=event.engine))


def entropy_given(game: Game, event: EntropyGiven) -> Game:
    """A seat's share in the shuffle."""
    return _at(game, event.seat, game.setup.places[event.seat]._replace(entropy=event.entropy))


def handed_over(game: Game, event: SeatHandedOver) -> Game:
    """A bot acts for a person."""
    place = game.setup.places[event.seat]._replace(
        level=event.level, engine=event.engine, acting_bot=True, left=event.left
    )
    return _at(game, event.seat, place)


def taken_back(game: Game, event: SeatTakenBack) -> Game:
    """A person acts again."""
    place = game.setup.places[event.seat]._replace(
        level=None, engine=None, acting_bot=False, left=False
    )
    return _at(game, event.seat, place)


def _at(game: Game, seat: int, place: Place) -> Game:
    places = list(game.setup.places)
    places[seat] = place
    return game._replace(setup=game.setup._replace(places=tuple(places)))
