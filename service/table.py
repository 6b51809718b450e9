"""The one door to games: a command in, a position out; retries when it loses a race."""

import secrets
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from events.catalogue import Event, GameAborted, GameStarted, RoundDealt
from events.codec import CorruptEntry
from events.store import (
    COMMAND_ID_BYTES,
    NO_ENTRIES,
    Appended,
    Entry,
    EventStore,
    Head,
    HeadLost,
    Recorded,
    Request,
    RequestReused,
    SuccessorExists,
    VersionConflict,
)
from events.vocabulary import SHARDS, Cause, GameId, PlayerId, Seat, shard_of
from service.game.clocks import deadline, due_after
from service.game.commands import Action, Command, CreateGame, LeaveSeat, TakeSeat
from service.game.decide import Chance, Decision, decide
from service.game.evolve import CorruptLog, evolve_all
from service.game.founding import INVITED_FOR, REMATCH_KEPT_FOR, found, rematch_command
from service.game.position import Position, advanced, fold
from service.game.refusals import Reason, Refusal
from service.game.state import Finished, is_over, seat_of
from service.metrics import APPENDED_BY, BOT_TURNS, CONFLICTS, TURNS_ENDED_LATE
from service.rules.fair_shuffle import SEED_BYTES

CACHED_GAMES = 2000
_CONSEQUENCES = (GameStarted, RoundDealt, GameAborted)


class GameUnknown(Exception):
    """No game has this id."""


UNREADABLE = (GameUnknown, CorruptEntry, CorruptLog)
"""What stops one game from being read while the others can be."""


class VersionUnknown(Exception):
    """The game has not had this version."""


class VersionMismatch(Exception):
    """The game is not at the version that the client named; `position` is where it is."""

    def __init__(self, position: Position) -> None:
        super().__init__(position.id)
        self.position = position


class ByPlayer(NamedTuple):
    """What a player wants their seat to do, whichever seat that is when it is decided."""

    player: PlayerId
    command: Callable[[Seat], Action | LeaveSeat]


class Table:
    """Games by id. A cache of positions saves reading; correctness never depends on it."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._positions: OrderedDict[GameId, Position] = OrderedDict()

    def now(self) -> int:
        """The store's time, in milliseconds since 1970."""
        return self._store.now()

    def create(self, command: CreateGame, request: Request | None = None) -> Position | Refusal:
        """Found a game, dealt already if no seat is open; a request's game has the request's id.

        Raises AlreadyDone, RequestReused, as do all that take a request.
        """
        if request is None:
            return self._found(new_game_id(), command, INVITED_FOR)
        try:
            return self._found(request.game, command, INVITED_FOR, request)
        except VersionConflict:  # the game has outlived what was remembered of the request
            raise RequestReused(request.game) from None

    def look(self, game_id: GameId) -> Position:
        """A game as it is now; raises GameUnknown."""
        known = self._positions.get(game_id)
        try:
            position = fold(
                game_id, self._store.read(game_id, known.head if known else NO_ENTRIES), known
            )
        except HeadLost:
            self._positions.pop(game_id, None)
            return self.look(game_id)
        if position is None:
            raise GameUnknown(game_id)
        return self._remember(position)

    def look_at(self, game_id: GameId, version: int) -> Position:
        """A game as it was at a version; raises GameUnknown, VersionUnknown."""
        now = self.look(game_id)
        if version == now.version:
            return now
        if not 1 <= version < now.version:
            raise VersionUnknown(version)
        position = fold(game_id, self.log(game_id)[:version])
        assert position is not None  # noqa: S101  (the log has entries)
        return position

    def log(self, game_id: GameId) -> Sequence[Recorded]:
        """Everything that happened in a game; raises GameUnknown."""
        recorded = self._store.read(game_id)
        if not recorded:
            raise GameUnknown(game_id)
        return recorded

    def log_after(self, game_id: GameId, head: Head) -> Sequence[Recorded]:
        """What followed an entry; raises HeadLost if the log does not hold it any more."""
        return self._store.read(game_id, head)

    def successor(self, game_id: GameId) -> GameId | None:
        """The rematch of a game, if there is one."""
        return self._store.successor(game_id)

    def act(
        self,
        game_id: GameId,
        command: Command | ByPlayer,
        *,
        cause: Cause = Cause.PLAYER,
        expected: int | None = None,
        request: Request | None = None,
    ) -> Position | Refusal:
        """The game after a command; raises GameUnknown, and VersionMismatch if `expected` lost.

        A command decided on a stale position is decided again, so what the log says wins. A
        request that has been done is told from one that is refused, whatever has happened since.
        """
        command_id = _new_command_id()
        known = self._positions.get(game_id)
        while True:
            position = known or self.look(game_id)
            decision = _decide(position, command, cause, expected)
            if isinstance(decision, tuple) and decision:
                try:
                    entries = caused(decision, cause)
                    return self._append(position, entries, command_id, request)
                except VersionConflict:
                    CONFLICTS.inc()
            elif known is None:
                if request is not None:
                    self._check(request, decision, position)
                return _answer(decision, position)
            known = None

    def _check(
        self, request: Request, decision: Decision | VersionMismatch, position: Position
    ) -> None:
        if isinstance(decision, tuple):
            self._store.remember(request, position.id, position.version)
        else:
            self._store.check(request)

    def rematch(
        self,
        game_id: GameId,
        player: PlayerId,
        *,
        is_bot: bool,
        request: Request | None = None,
    ) -> tuple[Position, bool] | Refusal:
        """The game that follows a finished one, the player seated, and whether this made it."""
        finished = self.look(game_id).game
        if not isinstance(finished, Finished):
            return Refusal(Reason.GAME_NOT_FINISHED, "Only a finished game has a rematch.")
        if seat_of(finished, player) is None:
            return Refusal(Reason.NOT_SEATED, "You have no seat in this game.")
        successor = self._store.successor(game_id)
        if successor is None:
            try:
                return self._found_rematch(
                    game_id, finished, player, is_bot=is_bot, request=request
                )
            except SuccessorExists as existing:
                successor = existing.successor
        take = TakeSeat(player, None, is_bot, self.now())
        seated = self.act(successor, take, request=request and request._replace(status=200))
        return seated if isinstance(seated, Refusal) else (seated, False)

    def _found_rematch(
        self,
        game_id: GameId,
        finished: Finished,
        player: PlayerId,
        *,
        is_bot: bool,
        request: Request | None,
    ) -> tuple[Position, bool] | Refusal:
        command = rematch_command(game_id, finished, player, self.now(), is_bot=is_bot)
        made = self._found(new_game_id(shard_of(game_id)), command, REMATCH_KEPT_FOR, request)
        return made if isinstance(made, Refusal) else (made, True)

    def _found(
        self,
        game_id: GameId,
        command: CreateGame,
        kept_for: int,
        request: Request | None = None,
    ) -> Position | Refusal:
        seed = secrets.token_bytes(SEED_BYTES)
        events = found(command, Chance(seed, game_id), kept_for)
        if isinstance(events, Refusal):
            return events
        entries = caused(events, Cause.PLAYER)
        game, command_id = evolve_all(None, *events), _new_command_id()
        done = self._store.append(
            game_id,
            NO_ENTRIES,
            command_id,
            entries,
            due=due_after(None, events, game),
            successor_of=command.rematch_of,
            request=request,
        )
        APPENDED_BY[Cause.PLAYER].inc()
        recorded = _recorded(done, command_id, entries)
        return self._remember(advanced(game_id, None, recorded, game))

    def _append(
        self,
        before: Position,
        entries: Sequence[Entry],
        command_id: bytes,
        request: Request | None,
    ) -> Position:
        events = [entry.event for entry in entries]
        game = evolve_all(before.game, *events)
        done = self._store.append(
            before.id,
            before.head,
            command_id,
            entries,
            due=due_after(before, events, game),
            request=request,
            is_last=is_over(game),
        )
        cause = entries[0].cause
        APPENDED_BY[cause].inc()
        if cause is Cause.BOT:
            BOT_TURNS.observe((done.at - before.updated_at) / 1000)
        elif cause is Cause.TIMEOUT and (ended := deadline(before)):
            TURNS_ENDED_LATE.observe((done.at - ended) / 1000)
        recorded = _recorded(done, command_id, entries)
        return self._remember(advanced(before.id, before, recorded, game))

    def _remember(self, position: Position) -> Position:
        known = self._positions.get(position.id)
        if known is None or known.version < position.version:
            self._positions[position.id] = position
            if len(self._positions) > CACHED_GAMES:
                self._positions.popitem(last=False)
        self._positions.move_to_end(position.id)
        return position


def new_game_id(shard: str | None = None) -> GameId:
    """A random id, in a given shard or in any."""
    return GameId(f"g_{shard or secrets.choice(SHARDS)}{secrets.token_urlsafe(12)}")


def _new_command_id() -> bytes:
    return secrets.token_bytes(COMMAND_ID_BYTES)


def _decide(
    position: Position, command: Command | ByPlayer, cause: Cause, expected: int | None
) -> Decision | VersionMismatch:
    if isinstance(command, ByPlayer):
        seat = seat_of(position.game, command.player)
        if seat is None:
            return Refusal(Reason.NOT_SEATED, "You have no seat in this game.")
        command = command.command(seat)
    if expected is not None and expected != position.version:
        return VersionMismatch(position)
    return decide(position.game, command, Chance(position.seed, position.id), cause)


def _answer(decision: Decision | VersionMismatch, position: Position) -> Position | Refusal:
    if isinstance(decision, VersionMismatch):
        raise decision
    return decision if isinstance(decision, Refusal) else position


def caused(events: Sequence[Event], cause: Cause) -> list[Entry]:
    """The events of one append, each with who made it happen: what only follows, the service."""
    entries = [Entry(cause, events[0])]
    entries += (
        Entry(Cause.SYSTEM if isinstance(event, _CONSEQUENCES) else cause, event)
        for event in events[1:]
    )
    return entries


def _recorded(done: Appended, command_id: bytes, entries: Sequence[Entry]) -> list[Recorded]:
    first = done.version - len(entries) + 1
    return [
        Recorded(version, done.at, command_id, *entry)
        for version, entry in enumerate(entries, first)
    ]
