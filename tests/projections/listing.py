"""Games that are listed, and what is listed of them."""

from typing import Any

from events.vocabulary import Cause, GameId, PlayerId
from service.game.commands import CreateGame, SeatWish, TakeSeat
from service.game.decide import legal_actions
from service.game.position import Position
from service.game.refusals import Refusal
from service.game.state import Finished, is_bot_turn, seat_to_act
from service.projections.lobby import Lobby, Page, Wanted
from service.wiring import Services
from tests.scenario import ALICE

ANY = Wanted()


def position_of(outcome: Position | Refusal) -> Position:
    assert isinstance(outcome, Position), outcome
    return outcome


def create(parts: Services, *kinds: str, **options: Any) -> Position:
    """A public game by Alice, recorded."""
    wishes = tuple(SeatWish(kind) for kind in kinds or ("me", "open"))
    options = {"visibility": "public", "rules": {"target_score": 3}, **options}
    command = CreateGame(ALICE, len(wishes), wishes, now=parts.table.now(), **options)
    position = position_of(parts.table.create(command))
    parts.lobby.record(position)
    return position


def sit(parts: Services, game: Position, player: PlayerId) -> Position:
    take = TakeSeat(player, None, is_bot=False, now=parts.table.now())
    position = position_of(parts.table.act(game.id, take))
    parts.lobby.record(position)
    return position


def ids(page: Page) -> list[GameId]:
    return [item["id"] for item in page.items]


def listed(lobby: Lobby, wanted: Wanted = ANY, viewer: PlayerId | None = None) -> set[GameId]:
    return set(ids(lobby.page(wanted, viewer, 100)))


def finish(parts: Services, game: Position) -> Position:
    """Play the first legal actions to the end, and record only that."""
    while seat_to_act(game.game) is not None:
        is_bot = is_bot_turn(game.game)
        action, cause = legal_actions(game.game)[0], Cause.BOT if is_bot else Cause.PLAYER
        game = position_of(parts.table.act(game.id, action, cause=cause))
    assert isinstance(game.game, Finished)
    parts.lobby.record(game)
    return game
