"""What waits to be delivered: one list a webhook and game, in order, and when to look at it.

The lists lie in their player's slot. When each is to be looked at stands in one sorted set for all,
`pepper:{webhooks}:due`. A list is put down there after it is filled and taken off before it is
looked at for the last time, so none that holds a message is forgotten.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple, cast

import orjson
from redis import Redis

from events.vocabulary import PlayerId
from service.views.canonical import rfc3339
from service.webhooks.registry import Webhook, Webhooks, ids_key, record_key
from service.webhooks.vocabulary import Topic

DUE = "pepper:{webhooks}:due"
TESTS = "test"
"""Stands for a game where a test waits."""

MOST_WAITING = 500
"""Messages of one game that wait for one webhook; then the oldest are dropped."""

KEPT_FOR = 7 * 24 * 60 * 60
"""Seconds that a list, and how far a webhook has been told, outlive their last change."""

SWEPT_EACH = 256
"""New games of a webhook after which those are forgotten that it has long not been told of."""

_PUSH = """
if redis.call('HGET', KEYS[1], 'disabled') ~= '' then return 0 end
local told = redis.call('HGET', KEYS[3], ARGV[1]) or '0'
local version, at = tonumber(ARGV[2]), tonumber(ARGV[6])
local told_version, told_at = string.match(told, '^(%d+)@?(%d*)')
told_version, told_at = tonumber(told_version), tonumber(told_at) or at
if told_at > at or (told_at == at and told_version >= version) then return 1 end
local now, kept_for = redis.call('TIME')[1], tonumber(ARGV[4])
local is_new = redis.call('HSET', KEYS[3], ARGV[1], ARGV[2] .. '@' .. ARGV[6] .. ' ' .. now) == 1
if is_new and redis.call('HLEN', KEYS[3]) % ARGV[5] == 0 then
  local all = redis.call('HGETALL', KEYS[3])
  for i = 1, #all, 2 do
    local at = string.match(all[i + 1], ' (%d+)$') or 0
    if now - at > kept_for then redis.call('HDEL', KEYS[3], all[i]) end
  end
end
redis.call('RPUSH', KEYS[2], unpack(ARGV, 7))
redis.call('LTRIM', KEYS[2], -tonumber(ARGV[3]), -1)
redis.call('EXPIRE', KEYS[2], ARGV[4])
redis.call('EXPIRE', KEYS[3], ARGV[4])
return 1
"""
_RETRY = """
if redis.call('LINDEX', KEYS[1], 0) == ARGV[1] then redis.call('LSET', KEYS[1], 0, ARGV[2]) end
"""
_MOVE = """
if redis.call('ZSCORE', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
return 1
"""


class Place(NamedTuple):
    """The messages of one game for one webhook."""

    player: PlayerId
    webhook: str
    game: str


class Message(NamedTuple):
    """One message: its id, the same at every try; its body; since when it is tried (0: not yet)."""

    id: str
    body: dict[str, str | int | None]
    since: int = 0
    tries: int = 0


class Queues:
    """The lists of messages; told twice of the same version, they take it once."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._push = client.register_script(_PUSH)
        self._move = client.register_script(_MOVE)
        self._retry = client.register_script(_RETRY)

    def push(
        self, webhook: Webhook, game: str, version: int, at: int, messages: Sequence[Message]
    ) -> None:
        """Let messages of a game's version wait, unless the webhook is gone, off, or told of it.

        Of a version that is given out again, after a failover lost the first, the time is later.
        """
        place = Place(webhook.player, webhook.id, game)
        keys = [record_key(place.player, place.webhook), _list_key(place), _told_key(*place[:2])]
        written = [_written(message) for message in messages]
        kept = (MOST_WAITING, KEPT_FOR, SWEPT_EACH)
        if self._push(keys, [game, version, *kept, at, *written]):
            self._client.zadd(DUE, {_member(place): 0}, nx=True)

    def push_test(self, webhook: Webhook, now: int) -> None:
        """Let a test wait; one that waits already is not joined by another."""
        place = Place(webhook.player, webhook.id, TESTS)
        if self.head(place) is None:
            body = message_body("test", webhook.player, now)
            message = Message(message_id(webhook.id, TESTS, now, now, "test"), body)
            self.push(webhook, TESTS, now, now, [message])

    def due(self, now: int, limit: int = 100) -> list[tuple[Place, int]]:
        """The lists to look at now, the longest waiting first, and since when."""
        found = cast(
            list[tuple[bytes, float]],
            self._client.zrange(DUE, 0, now, byscore=True, offset=0, num=limit, withscores=True),
        )
        return [(_place(member), int(score)) for member, score in found]

    def look_again(self, place: Place, claim: int, until: int) -> bool:
        """Move when a list is looked at, if it stands where the claim says; whether it did.

        Of several that ask so, one alone has the list until then.
        """
        return bool(self._move([DUE], [_member(place), claim, until]))

    def head(self, place: Place) -> Message | None:
        """The message that is next."""
        raw = cast(bytes | None, self._client.lindex(_list_key(place), 0))
        return None if raw is None else Message(*orjson.loads(raw))

    def retry(self, place: Place, message: Message, now: int) -> None:
        """Count a try of the first message that failed."""
        tried = message._replace(since=message.since or now, tries=message.tries + 1)
        self._retry([_list_key(place)], [_written(message), _written(tried)])

    def drop(self, place: Place, message: Message) -> None:
        """Take a message out: it was delivered, or is given up. A game's last one ends its list."""
        with self._client.pipeline(transaction=True) as pipeline:
            pipeline.lrem(_list_key(place), 1, _written(message))  # type: ignore[arg-type]  # bytes
            if message.body["type"] == Topic.GAME_FINISHED:
                pipeline.hdel(_told_key(place.player, place.webhook), place.game)
            pipeline.execute()

    def leave(self, place: Place) -> None:
        """Look at an empty list no more, unless something has come meanwhile."""
        self._client.zrem(DUE, _member(place))
        if self.head(place) is not None:
            self._client.zadd(DUE, {_member(place): 0}, nx=True)

    def forget(self, place: Place) -> None:
        """Drop all that waits here: the webhook is gone or off."""
        self._client.delete(_list_key(place))
        self.leave(place)

    def delete(self, player: PlayerId, webhook_id: str) -> None:
        """End a webhook: its record, its secret and all that waits for it."""
        with self._client.pipeline(transaction=True) as pipeline:
            pipeline.delete(record_key(player, webhook_id))
            pipeline.srem(ids_key(player), webhook_id)
            pipeline.execute()
        told = cast(list[bytes], self._client.hkeys(_told_key(player, webhook_id)))
        places = [Place(player, webhook_id, game.decode()) for game in told]
        self._client.delete(_told_key(player, webhook_id), *map(_list_key, places))
        if places:
            self._client.zrem(DUE, *map(_member, places))


def delete_all(client: Redis, player: PlayerId) -> None:
    """End all webhooks of a player who is erased."""
    for webhook in Webhooks(client).of(player):
        Queues(client).delete(player, webhook.id)


def message_id(webhook_id: str, game: str, version: int, at: int, topic: str) -> str:
    """The id of a message, the same however often its version, which has this time, is told."""
    named = f"{webhook_id} {game} {version} {at} {topic}"
    return f"msg_{sha256(named.encode()).hexdigest()[:32]}"


def message_body(
    topic: str,
    player: PlayerId,
    at: int,
    *,
    game: str | None = None,
    version: int | None = None,
    seat: int | None = None,
    deadline: int | None = None,
) -> dict[str, str | int | None]:
    """What is sent: where to look, and nothing of what is seen there."""
    return {
        "type": topic,
        "game": game,
        "version": version,
        "at": rfc3339(at),
        "player": player,
        "seat": seat,
        "deadline": None if deadline is None else rfc3339(deadline),
    }


def _written(message: Message) -> bytes:
    return orjson.dumps(list(message))


def _list_key(place: Place) -> str:
    return f"{record_key(place.player, place.webhook)}:queue:{place.game}"


def _told_key(player: PlayerId, webhook_id: str) -> str:
    return f"{record_key(player, webhook_id)}:told"


def _member(place: Place) -> str:
    return " ".join(place)


def _place(member: bytes) -> Place:
    player, webhook_id, game = member.decode().split(" ")
    return Place(PlayerId(player), webhook_id, game)
