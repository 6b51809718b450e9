"""What waits for each player, turns and invitations, and what they have been told: notices.

A follower keeps it, some milliseconds behind the logs. A notice may come twice, none is lost among
a player's last 1,000; a turn or invitation kept here may be over, and the game's log says so.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple, cast

from redis import Redis

from events.vocabulary import GameId, PlayerId, Seat
from service.game.position import Position
from service.projections.cursors import Place
from service.projections.notices import Notice, Topic, invited_to, on_turn

KEPT = 1000
"""The notices of a player that are kept at least."""

NOTHING = "0-0"
"""The id before any notice's."""

Read = list[tuple[bytes, list[tuple[bytes, dict[bytes, bytes]]]]]
_ID = re.compile(r"(\d{1,18})-(\d{1,18})", re.ASCII)
_RECORD = """
local game, version, at, told = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), false
local place = ARGV[2] .. '@' .. ARGV[3]
local function tell(topic, of_version, when, seat)
  told = true
  return redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[6], '*',
    'topic', topic, 'game', game, 'version', of_version, 'at', when, 'seat', seat)
end
local function is_newer(key)
  local known = redis.call('HGET', key, game)
  if not known then return true end
  local known_version, known_at = string.match(known, '^(%d+)@?(%d*)')
  known_version, known_at = tonumber(known_version), tonumber(known_at) or at
  return known_at < at or (known_at == at and known_version < version)
end

for i = 7, #ARGV, 4 do tell(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]) end
if is_newer(KEYS[1]) then
  if ARGV[4] == '' then
    redis.call('HDEL', KEYS[1], game)
  else
    local id = tell('your_turn', ARGV[2], ARGV[3], ARGV[4])
    redis.call('HSET', KEYS[1], game, place .. ' ' .. id)
  end
end
if is_newer(KEYS[2]) then
  if ARGV[5] == '' then
    redis.call('HDEL', KEYS[2], game)
  else
    redis.call('HSET', KEYS[2], game, place .. ' ' .. ARGV[5])
  end
end
if told then redis.call('SPUBLISH', KEYS[4], '') end
"""


class NoticesLost(Exception):
    """What followed a notice is not all kept any more, or there never was such a notice."""


class Turn(NamedTuple):
    """A game that waited for the player when the follower looked; `begun` is its notice's id."""

    game: GameId
    begun: str


class Kept(NamedTuple):
    """A notice as its player's inbox keeps it; ids grow, `at` is in milliseconds since 1970."""

    id: str
    topic: Topic
    game: GameId
    version: int
    at: int
    seat: Seat


def bell_channel(player: PlayerId) -> str:
    """The sharded channel that rings after each notice; it may lose some."""
    return f"pepper:{{p:{player}}}:bell"


def is_id(text: str) -> bool:
    """Whether a notice can have this id."""
    return _ID.fullmatch(text) is not None


def order(notice_id: str) -> tuple[int, int]:
    """What ids are compared by."""
    milliseconds, _, sequence = notice_id.partition("-")
    return int(milliseconds), int(sequence)


class Inbox:
    """The inboxes of all players."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._record = client.register_script(_RECORD)

    def record(self, player: PlayerId, position: Position, notices: Sequence[Notice] = ()) -> None:
        """Take note of what a game means to a player.

        The notices are added each time; an older position replaces nothing that a newer one put.
        """
        keys = _keys(player)
        turn, until = on_turn(position.game).get(player), invited_to(position.game).get(player)
        arguments: list[str | int] = [
            position.id,
            position.version,
            position.updated_at,
            "" if turn is None else turn,
            "" if until is None else until,
            KEPT,
        ]
        for notice in notices:
            arguments += [notice.topic.value, notice.version, notice.at, notice.seat]
        self._record([*keys, bell_channel(player)], arguments)

    def forget(self, player: PlayerId) -> None:
        """Drop a player's inbox."""
        self._client.delete(*_keys(player))

    def turns(self, player: PlayerId) -> tuple[list[Turn], str]:
        """The games that wait for a player, and the id of the last notice by then."""
        with self._client.pipeline() as pipeline:
            pipeline.hgetall(_key(player, "turns"))
            pipeline.xrevrange(_key(player, "inbox"), count=1)
            waiting, last = pipeline.execute()
        turns = [
            Turn(GameId(game.decode()), kept.decode().partition(" ")[2])
            for game, kept in cast(dict[bytes, bytes], waiting).items()
        ]
        return turns, last[0][0].decode() if last else NOTHING

    def latest(self, player: PlayerId) -> str:
        """The id of a player's last notice."""
        last = cast(
            list[tuple[bytes, object]], self._client.xrevrange(_key(player, "inbox"), count=1)
        )
        return last[0][0].decode() if last else NOTHING

    def invitations(self, player: PlayerId) -> list[Place]:
        """The games that keep a seat for a player, by when that is over, the latest first."""
        kept = cast(dict[bytes, bytes], self._client.hgetall(_key(player, "invitations")))
        places = [
            Place(int(value.partition(b" ")[2]), GameId(game.decode()))
            for game, value in kept.items()
        ]
        return sorted(places, reverse=True)

    def all_of(self, player: PlayerId) -> list[Kept]:
        """Every notice of a player that is kept, oldest first."""
        return _read(cast(Read, self._client.xread({_key(player, "inbox"): NOTHING})))

    def after(self, player: PlayerId, notice_id: str) -> list[Kept]:
        """The notices after one, oldest first; raises NoticesLost."""
        key = _key(player, "inbox")
        with self._client.pipeline() as pipeline:
            pipeline.xrange(key, notice_id, notice_id)
            pipeline.xread({key: notice_id})
            known, read = pipeline.execute()
        kept = _read(read)
        is_complete = len(kept) < KEPT if notice_id == NOTHING else bool(known)
        if not is_complete:
            raise NoticesLost(notice_id)
        return kept


def _read(read: Read) -> list[Kept]:
    return [_kept(entry_id, fields) for _key, entries in read for entry_id, fields in entries]


def _kept(entry_id: bytes, fields: dict[bytes, bytes]) -> Kept:
    return Kept(
        entry_id.decode(),
        Topic(fields[b"topic"].decode()),
        GameId(fields[b"game"].decode()),
        int(fields[b"version"]),
        int(fields[b"at"]),
        Seat(int(fields[b"seat"])),
    )


def _keys(player: PlayerId) -> list[str]:
    return [_key(player, part) for part in ("turns", "invitations", "inbox")]


def _key(player: PlayerId, part: str) -> str:
    return f"pepper:{{p:{player}}}:{part}"
