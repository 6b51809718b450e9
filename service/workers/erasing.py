"""Finishing erasures: seats given up, webhooks and lists dropped. Done twice, it does nothing."""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress

from events.vocabulary import PlayerId
from service.game.commands import AbortGame, LeaveSeat
from service.game.position import Position
from service.game.state import Game, Gathering, is_over, seat_of
from service.players.erasure import Erasures
from service.projections.lobby import persons_of
from service.table import ByPlayer, VersionMismatch
from service.webhooks.queues import delete_all
from service.wiring import Services
from service.workers.reading import readable

Step = Callable[[Services, PlayerId], None]


def finish_erasures(parts: Services) -> None:
    """Take up whatever erasure is due."""
    for player in erasures(parts).due(parts.store.now()):
        for step in STEPS:
            step(parts, player)
        erasures(parts).done(player, parts.store.now())


def erasures(parts: Services) -> Erasures:
    """The erasures of this process's store."""
    return Erasures(parts.client, parts.players)


def keep_out(parts: Services, positions: Sequence[Position]) -> None:
    """Let no erased player sit or be listed in these games, which the lists have taken note of.

    Who is erased was marked before their lists were read. So a game that came into them too late
    to be left then comes here with the mark to be seen.
    """
    persons = {person for position in positions for person in persons_of(position.game)}
    gone = erasures(parts).erased_among(persons)
    for position in positions if gone else ():
        for player in gone & persons_of(position.game):
            _leave(parts, position, player)
            parts.lobby.strike(position.id, player)


def forget_erased(parts: Services, players: Collection[PlayerId]) -> None:
    """Let no erased player have an inbox, where something may have been put in meanwhile.

    Who is erased was marked before their inbox was dropped, as with `keep_out`.
    """
    for player in erasures(parts).erased_among(players) if players else ():
        parts.inbox.forget(player)


def _close(parts: Services, player: PlayerId) -> None:
    erasures(parts).close(player, parts.store.now())


def _drop_webhooks(parts: Services, player: PlayerId) -> None:
    delete_all(parts.client, player)


def _leave_games(parts: Services, player: PlayerId) -> None:
    for position in readable(parts.table, parts.lobby.unfinished_of(player)):
        _leave(parts, position, player)


def _drop_lists(parts: Services, player: PlayerId) -> None:
    parts.lobby.forget(player)
    parts.inbox.forget(player)


STEPS: Iterable[Step] = (_close, _drop_webhooks, _leave_games, _drop_lists)


def _leave(parts: Services, position: Position, player: PlayerId) -> None:
    """As the player would: the seat free before the start, with a bot after it."""
    if is_over(position.game):
        return
    outcome = parts.table.act(position.id, ByPlayer(player, lambda seat: LeaveSeat(player, seat)))
    left = outcome if isinstance(outcome, Position) else position
    if _waits_for_creator(left.game, player):
        # What comes between is in the feed, and then this is decided again.
        with suppress(VersionMismatch):
            parts.table.act(left.id, AbortGame(player), expected=left.version)


def _waits_for_creator(game: Game, player: PlayerId) -> bool:
    """Whether nobody else can begin a game or sits in it."""
    setup = game.setup
    if not isinstance(game, Gathering) or setup.creator != player:
        return False
    if seat_of(game, player) is not None:
        return False
    return setup.start == "manual" or all(place.player is None for place in setup.places)
