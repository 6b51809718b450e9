"""Lists of games: who plays what, what is open.

A follower keeps them, some tenths of a second behind the logs; they can be rebuilt from the logs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, cast

import orjson
from redis import Redis

from events.vocabulary import GameId, PlayerId, shard_of
from service.game.position import Position
from service.game.state import Game
from service.projections import profiles
from service.projections.cursors import Place, closed, opened
from service.projections.profiles import Profile
from service.projections.summary import Summary, summary_of
from service.views.seat_view import status_of

PUBLIC = "pepper:{lobby}:games"
BATCH = 100
MOST_READ = 2000
"""Games that one page looks at; if few of them are wanted, the page is short and has a next one."""

_EARLIER = {
    "open": (),
    "in_progress": ("open",),
    "finished": ("open", "in_progress"),
    "aborted": ("open", "in_progress"),
}
_IF_NEWER = """
local version, at = tonumber(ARGV[1]), tonumber(ARGV[2])
local known = redis.call('HMGET', KEYS[1], 'version', 'at')
local known_version, known_at = tonumber(known[1] or 0), tonumber(known[2] or at)
if known_at > at or (known_at == at and known_version >= version) then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[1], 'at', ARGV[2], 'summary', ARGV[3])
return 1
"""


class Page(NamedTuple):
    """Some summaries, newest first, and where the next page begins."""

    items: list[Summary]
    next: str | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which games a list is to hold; None is any; `clock`: those with one, or without."""

    status: str | None = None
    players: int | None = None
    clock: bool | None = None
    has_open_seat: bool | None = None
    player: PlayerId | None = None
    needs_me: bool = False


class Lobby:
    """Indexes of game ids by creation time, of the public ones and each player's, and summaries.

    An index may hold a game too much (a status it has left, a player who got up) but never one too
    few: games go through their statuses one way, and the summary decides what a page shows.
    """

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._put = client.register_script(_IF_NEWER)

    def record(self, position: Position) -> None:
        """Take note of a game as it is; told twice, or late, it changes nothing."""
        with self._client.pipeline(transaction=False) as pipeline:
            for index in _indexes_of(position):
                _enter(pipeline, index, position)
            profiles.count(pipeline, position)
            pipeline.execute()
        summary = orjson.dumps(summary_of(position))
        self._put([_summary_key(position.id)], [position.version, position.updated_at, summary])

    def profile(self, player: PlayerId) -> Profile:
        """How many games of a player were finished, won, and aborted by them."""
        return profiles.profile(self._client, player)

    def unfinished_of(self, player: PlayerId) -> list[GameId]:
        """The games in a player's list that have not ended."""
        indexes = [f"{_games_key(player)}:{status}" for status in ("open", "in_progress")]
        found = [cast(list[bytes], self._client.zrange(index, 0, -1)) for index in indexes]
        return [GameId(game.decode()) for games in found for game in games]

    def strike(self, game: GameId, player: PlayerId) -> None:
        """Take a game out of a player's lists and counts."""
        with self._client.pipeline(transaction=False) as pipeline:
            for index in _lists_of(player):
                pipeline.zrem(index, game)
            profiles.discount(pipeline, player, game)
            pipeline.execute()

    def forget(self, player: PlayerId) -> None:
        """Drop a player's lists and counts."""
        self._client.delete(*_lists_of(player), *profiles.counts_of(player))

    def all_of(self, player: PlayerId) -> Iterator[list[Summary]]:
        """Every game in a player's list, those they left too; newest first, some at a time."""
        for batch in self._batches(_games_key(player), None):
            yield [summary for _place, summary in batch if summary is not None]

    def unfinished(self, player: PlayerId) -> int:
        """How many games of a player have not ended, as far as the lists know by now."""
        with self._client.pipeline(transaction=False) as pipeline:
            for status in ("open", "in_progress"):
                pipeline.zcard(f"{_games_key(player)}:{status}")
            return sum(pipeline.execute())

    def page(
        self, wanted: Wanted, viewer: PlayerId | None, limit: int, cursor: str | None = None
    ) -> Page:
        """Games newest first; unlisted ones only for their own players. Raises CursorMalformed."""
        shown: list[tuple[Place, Summary]] = []
        summaries = self._summaries(_index_for(wanted, viewer), opened(cursor))
        for read, (place, summary) in enumerate(summaries, 1):
            if summary is not None and _is_wanted(summary, wanted, viewer):
                if len(shown) == limit:
                    return Page([item for _place, item in shown], closed(shown[-1][0]))
                shown.append((place, summary))
            if read == MOST_READ:
                return Page([item for _place, item in shown], closed(place))
        return Page([item for _place, item in shown], None)

    def _summaries(
        self, index: str, before: Place | None
    ) -> Iterator[tuple[Place, Summary | None]]:
        for batch in self._batches(index, before):
            yield from batch

    def _batches(
        self, index: str, before: Place | None
    ) -> Iterator[list[tuple[Place, Summary | None]]]:
        while places := self._places(index, before):
            with self._client.pipeline(transaction=False) as pipeline:
                for place in places:
                    pipeline.hget(_summary_key(place.game), "summary")
                found = pipeline.execute()
            summaries = [None if raw is None else orjson.loads(raw) for raw in found]
            yield [*zip(places, summaries, strict=True)]
            before = places[-1]

    def _places(self, index: str, before: Place | None) -> list[Place]:
        highest: str | int = "+inf" if before is None else before.at
        offset = 0
        while True:
            found = cast(
                list[tuple[bytes, float]],
                self._client.zrange(
                    index,
                    highest,
                    "-inf",
                    desc=True,
                    byscore=True,
                    withscores=True,
                    offset=offset,
                    num=BATCH,
                ),
            )
            places = [Place(int(score), GameId(game.decode())) for game, score in found]
            places = [place for place in places if before is None or place < before]
            if places or len(found) < BATCH:
                return places
            offset += BATCH


def persons_of(game: Game) -> set[PlayerId]:
    """Those in whose lists a game is: its creator and who sits there."""
    setup = game.setup
    return {setup.creator, *(place.player for place in setup.places if place.player)}


def _indexes_of(position: Position) -> set[str]:
    indexes = {_games_key(player) for player in persons_of(position.game)}
    return indexes | {PUBLIC} if position.game.setup.visibility == "public" else indexes


def _lists_of(player: PlayerId) -> list[str]:
    index = _games_key(player)
    return [index, *(f"{index}:{status}" for status in _EARLIER)]


def _enter(client: Redis, index: str, position: Position) -> None:
    status = status_of(position.game)
    entry = {str(position.id): position.created_at}
    client.zadd(index, entry)
    client.zadd(f"{index}:{status}", entry)
    for earlier in _EARLIER[status]:
        client.zrem(f"{index}:{earlier}", position.id)


def _index_for(wanted: Wanted, viewer: PlayerId | None) -> str:
    index, status = PUBLIC, wanted.status
    if wanted.needs_me and viewer is not None:
        index, status = _games_key(viewer), "in_progress"
    elif wanted.player is not None:
        index = _games_key(wanted.player)
    return index if status is None else f"{index}:{status}"


def _is_wanted(summary: Summary, wanted: Wanted, viewer: PlayerId | None) -> bool:
    seats = summary["seats"]
    persons = {seat["player"]["id"] for seat in seats if seat["player"]} | {summary["creator"]}
    if summary["visibility"] != "public" and viewer not in persons:
        return False
    has_open_seat = summary["open_seats"] > 0 and summary["finished_at"] is None
    return (
        wanted.status in (None, summary["status"])
        and wanted.players in (None, summary["players"])
        and wanted.clock in (None, summary["clock"] is not None)
        and wanted.has_open_seat in (None, has_open_seat)
        and (wanted.player is None or wanted.player in persons)
        and (not wanted.needs_me or _waits_for(summary, viewer))
    )


def _waits_for(summary: Summary, viewer: PlayerId | None) -> bool:
    turns = [summary["seats"][seat] for seat in (summary["turn"] or {"seats": []})["seats"]]
    return any(seat["player"] == {"id": viewer} for seat in turns if not seat["acting_bot"])


def _summary_key(game: GameId) -> str:
    return f"pepper:{{{shard_of(game)}}}:summary:{game}"


def _games_key(player: PlayerId) -> str:
    return f"pepper:{{p:{player}}}:games"
