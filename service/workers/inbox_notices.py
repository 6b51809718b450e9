"""Keeping inboxes: from the feed's entries to what waits for each player and what they hear."""

from collections import OrderedDict
from collections.abc import Sequence

from events.feed import FeedEntry
from events.store import HeadLost, Recorded
from events.vocabulary import GameId, PlayerId
from service.game.position import Position, fold
from service.projections.notices import Notice, appends_of, notices_of, waited_for
from service.table import UNREADABLE, GameUnknown
from service.wiring import Services
from service.workers.erasing import forget_erased, keep_out
from service.workers.reading import report

REMEMBERED_GAMES = 2000


class InboxKeeper:
    """Tells players what appends mean to them.

    It remembers games as far as it has told them, so as to read only what is new.
    """

    def __init__(self, parts: Services) -> None:
        self._parts = parts
        self._told: OrderedDict[GameId, Position] = OrderedDict()

    def keep(self, entries: Sequence[FeedEntry]) -> None:
        """Take note of these appends; told twice, or late, only notices come again."""
        first: dict[GameId, int] = {}
        for entry in entries:
            first.setdefault(entry.game, entry.version)
        players: set[PlayerId] = set()
        for game, version in first.items():
            try:
                players |= self._tell(game, version)
            except UNREADABLE as fault:
                report(game, fault)
        forget_erased(self._parts, players)

    def _tell(self, game: GameId, first: int) -> set[PlayerId]:
        """Tell what a game's appends mean, from one that ended at this version on; to whom."""
        known, log = self._unread(game)
        told: dict[PlayerId, list[Notice]] = {}
        for append in appends_of(log):
            before, known = known, fold(game, append, known)
            if known is None or append[-1].version < first:
                continue
            for player in waited_for(before) | waited_for(known):
                told.setdefault(player, [])
            for notice in notices_of(known.game, append):
                told.setdefault(notice.player, []).append(notice)
        if known is None:
            raise GameUnknown(game)
        self._record(known, told)
        self._remember(known)
        return {*told}

    def _unread(self, game: GameId) -> tuple[Position | None, Sequence[Recorded]]:
        """What is remembered of a game, and the entries that follow it."""
        known, table = self._told.get(game), self._parts.table
        if known is None:
            return None, table.log(game)
        try:
            return known, table.log_after(game, known.head)
        except HeadLost:
            return None, table.log(game)

    def _record(self, now: Position, told: dict[PlayerId, list[Notice]]) -> None:
        if any(told.values()):  # whoever hears of a game must find it in their list
            self._parts.lobby.record(now)
            keep_out(self._parts, [now])
        for player, notices in told.items():
            self._parts.inbox.record(player, now, notices)

    def _remember(self, position: Position) -> None:
        self._told[position.id] = position
        self._told.move_to_end(position.id)
        if len(self._told) > REMEMBERED_GAMES:
            self._told.popitem(last=False)
