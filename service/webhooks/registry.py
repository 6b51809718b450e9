"""The webhooks of players in Redis: all of a player's lie in one slot.

A signature needs the secret itself, so it is the one secret that the store keeps as it is.
"""

import base64
import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, cast

from redis import Redis

from events.vocabulary import PlayerId
from service.webhooks.vocabulary import Disabled, Outcome, Topic

MOST_WEBHOOKS = 10
SECRET_BYTES = 32
_ID = re.compile(r"w_[A-Za-z0-9_-]{16}")
_ADD = """
if redis.call('SISMEMBER', KEYS[1], ARGV[2]) == 1 then return 1 end
if redis.call('SCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('SADD', KEYS[1], ARGV[2])
redis.call('HSET', KEYS[2], unpack(ARGV, 3))
return 1
"""
_SET_IF_THERE = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV))
return 1
"""
_ENABLED: Mapping[str, str | int] = {"disabled": "", "failures": 0, "failing_since": 0, "rests": 0}


class TooManyWebhooks(Exception):
    """The player has as many webhooks as one may."""


class WebhookUnknown(Exception):
    """The player has no webhook of this id."""


class Attempt(NamedTuple):
    """A try to deliver: when it ended, how, and with which HTTP status (None: without one)."""

    at: int
    outcome: Outcome
    status: int | None


class Webhook(NamedTuple):
    """One webhook; times are in milliseconds since 1970.

    `failures` counts the tries that have failed since the last one that did not, the first of them
    at `failing_since`; until `rests_until` nothing is tried.
    """

    id: str
    player: PlayerId
    url: str
    topics: tuple[Topic, ...]
    secret: str
    created_at: int
    disabled: Disabled | None = None
    failures: int = 0
    failing_since: int | None = None
    rests_until: int = 0
    last: Attempt | None = None


class Webhooks:
    """Webhooks by player and id; whoever asks for another player's finds none."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._add = client.register_script(_ADD)
        self._set = client.register_script(_SET_IF_THERE)

    def create(self, player: PlayerId, url: str, topics: Sequence[Topic], now: int) -> Webhook:
        """A new webhook with a fresh secret; raises TooManyWebhooks."""
        webhook = new_webhook(player, url, topics, now)
        self.add(webhook)
        return webhook

    def add(self, webhook: Webhook) -> None:
        """Keep a new webhook; one that is kept already stays as it is. Raises TooManyWebhooks."""
        fields: dict[str, str | int] = {
            "url": webhook.url,
            "topics": " ".join(webhook.topics),
            "secret": webhook.secret,
            "created_at": webhook.created_at,
        }
        keys = [ids_key(webhook.player), record_key(webhook.player, webhook.id)]
        if not self._add(keys, [MOST_WEBHOOKS, webhook.id, *_flat({**fields, **_ENABLED})]):
            raise TooManyWebhooks(webhook.player)

    def of(self, player: PlayerId) -> list[Webhook]:
        """A player's webhooks, the oldest first."""
        return self.of_all([player])[player]

    def of_all(self, players: Iterable[PlayerId]) -> dict[PlayerId, list[Webhook]]:
        """The webhooks of several players, each one's oldest first."""
        asked = list(players)
        with self._client.pipeline(transaction=False) as pipeline:
            for player in asked:
                pipeline.smembers(ids_key(player))
            found = cast(list[set[bytes]], pipeline.execute())
        named = [
            (player, webhook_id.decode())
            for player, ids in zip(asked, found, strict=True)
            for webhook_id in ids
        ]
        with self._client.pipeline(transaction=False) as pipeline:
            for player, webhook_id in named:
                pipeline.hgetall(record_key(player, webhook_id))
            records = pipeline.execute()
        held: dict[PlayerId, list[Webhook]] = {player: [] for player in asked}
        for (player, webhook_id), record in zip(named, records, strict=True):
            if record:
                held[player].append(_webhook(player, webhook_id, record))
        return {player: sorted(hooks, key=_age) for player, hooks in held.items()}

    def get(self, player: PlayerId, webhook_id: str) -> Webhook:
        """One of a player's webhooks; raises WebhookUnknown."""
        if not _ID.fullmatch(webhook_id):
            raise WebhookUnknown(webhook_id)
        record = cast(dict[bytes, bytes], self._client.hgetall(record_key(player, webhook_id)))
        if not record:
            raise WebhookUnknown(webhook_id)
        return _webhook(player, webhook_id, record)

    def change(
        self,
        player: PlayerId,
        webhook_id: str,
        *,
        url: str | None = None,
        topics: Sequence[Topic] | None = None,
        enabled: bool | None = None,
    ) -> Webhook:
        """The webhook after a change by its owner; raises WebhookUnknown.

        What is enabled, or is sent elsewhere, counts as never having failed.
        """
        fields: dict[str, str | int] = {}
        if url is not None:
            fields |= {"url": url, "failures": 0, "failing_since": 0, "rests": 0}
        if topics is not None:
            fields["topics"] = " ".join(topics)
        if enabled is not None:
            fields |= _ENABLED if enabled else {"disabled": Disabled.OWNER.value}
        self._put(player, webhook_id, fields)
        return self.get(player, webhook_id)

    def disable(self, webhook: Webhook, reason: Disabled) -> None:
        """Tell it nothing more until its owner enables it."""
        self._put_if_there(webhook, {"disabled": reason.value})

    def note_success(self, webhook: Webhook, attempt: Attempt) -> None:
        """Take note that something was delivered."""
        fields: dict[str, str | int] = {"failures": 0, "failing_since": 0, "rests": 0}
        self._put_if_there(webhook, {**fields, **_attempted(attempt)})

    def note_failure(self, webhook: Webhook, attempt: Attempt, rests_until: int) -> None:
        """Take note that a try failed, one more in a row."""
        fields: dict[str, str | int] = {
            "failures": webhook.failures + 1,
            "failing_since": webhook.failing_since or attempt.at,
            "rests": rests_until,
        }
        self._put_if_there(webhook, {**fields, **_attempted(attempt)})

    def note_test(self, webhook: Webhook, attempt: Attempt) -> None:
        """Take note how a test went, which counts as neither."""
        self._put_if_there(webhook, _attempted(attempt))

    def _put(self, player: PlayerId, webhook_id: str, fields: Mapping[str, str | int]) -> None:
        if fields and not self._set([record_key(player, webhook_id)], _flat(fields)):
            raise WebhookUnknown(webhook_id)

    def _put_if_there(self, webhook: Webhook, fields: Mapping[str, str | int]) -> None:
        self._set([record_key(webhook.player, webhook.id)], _flat(fields))


def _at_random(_purpose: str) -> bytes:
    return secrets.token_bytes(SECRET_BYTES)


def new_webhook(
    player: PlayerId,
    url: str,
    topics: Sequence[Topic],
    now: int,
    draw: Callable[[str], bytes] = _at_random,
) -> Webhook:
    """A webhook that is not yet kept; `draw` gives 32 bytes that nobody guesses, for a purpose."""
    webhook_id = f"w_{base64.urlsafe_b64encode(draw('webhook id')[:12]).decode()}"
    secret = f"whsec_{base64.b64encode(draw('webhook secret')).decode()}"
    return Webhook(webhook_id, player, url, tuple(topics), secret, now)


def ids_key(player: PlayerId) -> str:
    """The set of the ids of a player's webhooks."""
    return f"pepper:{{p:{player}}}:webhooks"


def record_key(player: PlayerId, webhook_id: str) -> str:
    """The hash of one webhook."""
    return f"pepper:{{p:{player}}}:webhook:{webhook_id}"


def _age(webhook: Webhook) -> tuple[int, str]:
    return webhook.created_at, webhook.id


def _flat(fields: Mapping[str, str | int]) -> list[str | int]:
    return [part for field in fields.items() for part in field]


def _attempted(attempt: Attempt) -> dict[str, str | int]:
    return {
        "last_at": attempt.at,
        "last_outcome": attempt.outcome.value,
        "last_status": attempt.status or 0,
    }


def _webhook(player: PlayerId, webhook_id: str, record: dict[bytes, bytes]) -> Webhook:
    read = {name.decode(): value.decode() for name, value in record.items()}
    last = None
    if "last_at" in read:
        status = int(read["last_status"]) or None
        last = Attempt(int(read["last_at"]), Outcome(read["last_outcome"]), status)
    return Webhook(
        webhook_id,
        player,
        read["url"],
        tuple(Topic(topic) for topic in read["topics"].split()),
        read["secret"],
        int(read["created_at"]),
        Disabled(read["disabled"]) if read["disabled"] else None,
        int(read["failures"]),
        int(read["failing_since"]) or None,
        int(read["rests"]),
        last,
    )
