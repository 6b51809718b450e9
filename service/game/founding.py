"""What founding a game makes happen: everything up to the first deal if no seat stays open."""

from events.catalogue import BotSeated, Event, GameCreated, GameStarted, SeatInvited, SeatTaken
from events.vocabulary import BotLevel, GameId, PlayerId, Seat
from service.game import bot_engine
from service.game.commands import CreateGame, SeatWish
from service.game.decide import Chance, Decision, next_deal
from service.game.evolve import evolve_all
from service.game.refusals import Reason, Refusal
from service.game.state import Dealing, Finished, Kind, Place
from service.rules import VERSION
from service.rules.house_rules import house_rules, options

INVITED_FOR = 24 * 3600 * 1000
REMATCH_KEPT_FOR = 10 * 60 * 1000
"""How long seats are kept for invited players and for a rematch, in milliseconds."""


def found(command: CreateGame, chance: Chance, kept_for: int = INVITED_FOR) -> Decision:
    """The first events of a new game, or why it cannot be made."""
    try:
        rules = house_rules(command.rules, command.players)
    except ValueError as fault:
        return Refusal(Reason.RULES_INVALID, str(fault))
    refusal = _why_not_seats(command)
    if refusal:
        return refusal
    created = GameCreated(
        players=command.players,
        rules=options(rules),
        rules_version=VERSION,
        creator=command.creator,
        visibility=command.visibility,
        start=command.start,
        hints=command.hints,
        allow_bots=command.allow_bots,
        seed=chance.seed,
        rematch_of=command.rematch_of,
        clock=command.clock,
        expires_in=command.expires_in,
    )
    seated = tuple(
        event
        for seat, wish in enumerate(command.seats)
        for event in _seated(command, Seat(seat), wish, command.now + kept_for)
    )
    return _with_start(command, (created, *seated), chance)


def _with_start(command: CreateGame, events: tuple[Event, ...], chance: Chance) -> Decision:
    kinds = {wish.kind for wish in command.seats}
    if command.start != "auto" or kinds & {"open", "player"}:
        return events
    events = (*events, GameStarted())
    game = evolve_all(None, *events)
    assert isinstance(game, Dealing)  # noqa: S101  (what GameStarted makes of a game)
    return (*events, next_deal(game, chance))


def _seated(command: CreateGame, seat: Seat, wish: SeatWish, until: int) -> tuple[Event, ...]:
    if wish.kind == "me":
        return (SeatTaken(seat, command.creator),)
    if wish.kind == "bot":
        return (BotSeated(seat, wish.level or BotLevel.CLUB, bot_engine.VERSION),)
    if wish.kind == "player" and wish.player is not None:
        return (SeatInvited(seat, wish.player, until),)
    return ()


def _why_not_seats(command: CreateGame) -> Refusal | None:
    wishes = command.seats
    if len(wishes) != command.players:
        return Refusal(Reason.SEATS_INVALID, f"{command.players} players need as many seats.")
    persons = [command.creator for wish in wishes if wish.kind == "me"]
    persons += [wish.player for wish in wishes if wish.player is not None]
    if len(persons) != len(set(persons)):
        return Refusal(Reason.SEATS_INVALID, "Nobody can have two seats.")
    if command.creator_is_bot and not command.allow_bots and command.creator in persons:
        return Refusal(Reason.BOTS_NOT_ALLOWED, "This game is for people only.")
    return None


def rematch_command(
    predecessor: GameId, game: Finished, by: PlayerId, now: int, *, is_bot: bool
) -> CreateGame:
    """The same table again: bots seated, seats of persons kept for them, `by` sitting."""
    setup = game.setup
    return CreateGame(
        creator=by,
        players=setup.players,
        seats=tuple(_wish_again(place, by) for place in setup.places),
        rules=options(setup.rules),
        visibility=setup.visibility,
        hints=setup.hints,
        allow_bots=setup.allow_bots,
        creator_is_bot=is_bot,
        rematch_of=predecessor,
        clock=setup.clock,
        expires_in=setup.expires_in,
        now=now,
    )


def _wish_again(place: Place, by: PlayerId) -> SeatWish:
    if place.player == by:
        return SeatWish("me")
    if place.kind is Kind.BOT:
        return SeatWish("bot", level=place.level)
    if place.player is not None:
        return SeatWish("player", player=place.player)
    return SeatWish("open")
