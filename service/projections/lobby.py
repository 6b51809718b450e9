"""Lists of games: who plays what, what is open. A follower keeps it, a moment behind the logs."""

import base64
import binascii
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import orjson
from redis import Redis

from events.vocabulary import GameId, PlayerId, shard_of
from service.game.position import Position
from service.game.state import Finished, Kind
from service.rules.deck import side_of
from service.views.seat_view import seat_view

PUBLIC = "pepper:{lobby}:games"
BATCH = 100
MOST_READ = 2000
_IF_NEWER = """
local known = redis.call('HGET', KEYS[1], 'version')
if known and tonumber(known) >= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[1], 'summary', ARGV[2])
return 1
"""
_SHOWN = [
    "id",
    "url",
    "version",
    "status",
    "phase",
    "players",
    "rules",
    "visibility",
    "creator",
    "created_at",
    "updated_at",
    "finished_at",
    "turn",
    "scores",
    "winners",
]
_SEAT_SHOWN = ["seat", "side", "kind", "player", "level", "acting_bot", "reserved_for"]
Summary = dict[str, Any]


class CursorMalformed(ValueError):
    """A cursor that no page gave out."""


class Page(NamedTuple):
    """Some summaries, newest first, and where the next page begins."""

    items: list[Summary]
    next: str | None


class Profile(NamedTuple):
    """How a player's games ended."""

    finished: int
    won: int
    aborted: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which games a list is to hold; None is any."""

    status: str | None = None
    players: int | None = None
    has_open_seat: bool | None = None
    player: PlayerId | None = None
    needs_me: bool = False


class Lobby:
    """Sets of game ids by creation time, public ones and each player's own, and summaries."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._put = client.register_script(_IF_NEWER)

    def record(self, position: Position) -> None:
        """Take note of a game as it is; an older position than is known changes nothing."""
        setup, entry = position.game.setup, {str(position.id): position.created_at}
        if setup.visibility == "public":
            self._client.zadd(PUBLIC, entry)
        persons = {setup.creator, *(place.player for place in setup.places if place.player)}
        for player in persons:
            self._client.zadd(_games_key(player), entry)
        self._count(position)
        summary = orjson.dumps(summary_of(position))
        self._put([_summary_key(position.id)], [position.version, summary])

    def _count(self, position: Position) -> None:
        game = position.game
        if position.ended_at is None:
            return
        won = game.winners if isinstance(game, Finished) else ()
        kind = "finished" if isinstance(game, Finished) else "aborted"
        if kind == "aborted":
            self._client.sadd(_ended_key(game.setup.creator, kind), position.id)
            return
        for seat, place in enumerate(game.setup.places):
            if place.player is not None:
                self._client.sadd(_ended_key(place.player, kind), position.id)
                if side_of(seat, game.setup.players) in won:
                    self._client.sadd(_ended_key(place.player, "won"), position.id)

    def profile(self, player: PlayerId) -> Profile:
        """How many games of a player were finished, won, and aborted by them."""
        with self._client.pipeline(transaction=False) as pipeline:
            for kind in Profile._fields:
                pipeline.scard(_ended_key(player, kind))
            return Profile(*pipeline.execute())

    def page(
        self, wanted: Wanted, viewer: PlayerId | None, limit: int, cursor: str | None = None
    ) -> Page:
        """Games newest first; unlisted ones only for their own players. Raises CursorMalformed."""
        index = PUBLIC
        if wanted.needs_me and viewer is not None:
            index = _games_key(viewer)
        elif wanted.player is not None:
            index = _games_key(wanted.player)
        items: list[Summary] = []
        before, read = _opened(cursor), 0
        while read < MOST_READ:
            batch = self._ids(index, before)
            if not batch:
                return Page(items, None)
            read += len(batch)
            summaries = self._summaries([game for game, _score in batch])
            for (game, score), summary in zip(batch, summaries, strict=True):
                before = (score, game)
                if summary is not None and _is_wanted(summary, wanted, viewer):
                    items.append(summary)
                    if len(items) == limit:
                        return Page(items, _closed(before))
        return Page(items, _closed(before) if before else None)

    def _ids(self, index: str, before: tuple[int, GameId] | None) -> list[tuple[GameId, int]]:
        highest: str | int = "+inf" if before is None else before[0]
        found = self._client.zrange(
            index,
            highest,
            "-inf",
            desc=True,
            byscore=True,
            withscores=True,
            offset=0,
            num=BATCH,
        )
        pairs = [
            (GameId(game.decode()), int(score))
            for game, score in cast(list[tuple[bytes, float]], found)
        ]
        if before is None:
            return pairs
        return [pair for pair in pairs if (pair[1], pair[0]) < before]

    def _summaries(self, games: list[GameId]) -> list[Summary | None]:
        with self._client.pipeline(transaction=False) as pipeline:
            for game in games:
                pipeline.hget(_summary_key(game), "summary")
            return [None if raw is None else orjson.loads(raw) for raw in pipeline.execute()]


def summary_of(position: Position) -> Summary:
    """What a list shows of a game: public, and without names."""
    view: Summary = {**seat_view(position, None)}
    seats = [{name: seat[name] for name in _SEAT_SHOWN} for seat in view["seats"]]
    open_seats = sum(place.kind is Kind.OPEN for place in position.game.setup.places)
    return {**{name: view[name] for name in _SHOWN}, "seats": seats, "open_seats": open_seats}


def _is_wanted(summary: Summary, wanted: Wanted, viewer: PlayerId | None) -> bool:
    persons = [(seat["player"] or {}).get("id") for seat in summary["seats"]]
    is_own = viewer is not None and viewer in (*persons, summary["creator"])
    if summary["visibility"] != "public" and not is_own:
        return False
    has_open_seat = summary["open_seats"] > 0
    turns = summary["turn"]["seats"] if summary["turn"] else []
    return (
        wanted.status in (None, summary["status"])
        and wanted.players in (None, summary["players"])
        and wanted.has_open_seat in (None, has_open_seat)
        and (wanted.player is None or wanted.player in (*persons, summary["creator"]))
        and (not wanted.needs_me or viewer in [persons[seat] for seat in turns])
    )


def _opened(cursor: str | None) -> tuple[int, GameId] | None:
    if cursor is None:
        return None
    try:
        score, _, game = base64.urlsafe_b64decode(cursor.encode()).decode().partition(":")
        return int(score), GameId(game)
    except (binascii.Error, ValueError) as fault:
        raise CursorMalformed(cursor[:40]) from fault


def _closed(place: tuple[int, GameId]) -> str:
    return base64.urlsafe_b64encode(f"{place[0]}:{place[1]}".encode()).decode()


def _summary_key(game: GameId) -> str:
    return f"pepper:{{{shard_of(game)}}}:summary:{game}"


def _games_key(player: PlayerId) -> str:
    return f"pepper:{{p:{player}}}:games"


def _ended_key(player: PlayerId, kind: str) -> str:
    return f"pepper:{{p:{player}}}:{kind}"
