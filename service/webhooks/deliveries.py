"""Delivering what waits: in order a game, later again what failed, until a webhook only fails."""

from collections.abc import Callable
from datetime import UTC, datetime

import orjson
from redis import Redis
from standardwebhooks import Webhook as Signer

from service.metrics import WEBHOOK_TRIES
from service.webhooks.posting import Poster
from service.webhooks.queues import TESTS, Message, Place, Queues
from service.webhooks.registry import Attempt, Webhook, Webhooks, WebhookUnknown
from service.webhooks.vocabulary import Disabled, Outcome

CLAIMED_FOR = 30_000
"""Milliseconds for which a list is its deliverer's: longer than one look at it takes."""

LONGEST_LOOK = 5_000
"""Milliseconds after which no further message of a list is begun, and others have their turn."""

SHORTEST_PAUSE, LONGEST_PAUSE = 5_000, 3_600_000
TRIED_FOR = 24 * 60 * 60 * 1000
"""Milliseconds for which a message is tried, and for which a webhook may fail and nothing else."""

FAILURES_TO_REST = 3
"""Failures in a row after which a webhook rests as a whole: a dead one must not hold up others."""

GONE = 410


def pause_after(failures: int) -> int:
    """Milliseconds until the next try, twice as many after each failure."""
    return min(SHORTEST_PAUSE << min(failures - 1, 20), LONGEST_PAUSE)


class Deliveries:
    """Delivers the lists; `now` gives the store's time in milliseconds since 1970."""

    def __init__(self, client: Redis, poster: Poster, now: Callable[[], int]) -> None:
        self._webhooks, self._queues = Webhooks(client), Queues(client)
        self._poster, self._now = poster, now

    def deliver(self, place: Place, claim: int) -> None:
        """Deliver a list's messages, if the claim on it still holds; run twice, it does nothing."""
        begun = self._now()
        claimed = begun + CLAIMED_FOR
        if not self._queues.look_again(place, claim, claimed):
            return
        again: int | None = begun
        while again == begun and self._now() - begun < LONGEST_LOOK:
            again = self._next(place, begun)
        if again is not None:
            self._queues.look_again(place, claimed, again)

    def _next(self, place: Place, begun: int) -> int | None:
        """When to look again: `begun` for at once, None for no more."""
        webhook = self._enabled(place)
        if webhook is None:
            self._queues.forget(place)
            return None
        if webhook.rests_until > begun and place.game != TESTS:
            return webhook.rests_until
        message = self._queues.head(place)
        if message is None:
            self._queues.leave(place)
            return None
        attempt = self._attempt(webhook, message)
        if place.game != TESTS and attempt.outcome is not Outcome.DELIVERED:
            self._note_failure(webhook, place, message, attempt)
            return attempt.at + pause_after(message.tries + 1)
        self._queues.drop(place, message)
        note = self._webhooks.note_test if place.game == TESTS else self._webhooks.note_success
        note(webhook, attempt)
        return begun

    def _enabled(self, place: Place) -> Webhook | None:
        try:
            webhook = self._webhooks.get(place.player, place.webhook)
        except WebhookUnknown:
            return None
        return None if webhook.disabled else webhook

    def _note_failure(
        self, webhook: Webhook, place: Place, message: Message, attempt: Attempt
    ) -> None:
        failures = webhook.failures + 1
        rests = attempt.at + pause_after(failures) if failures >= FAILURES_TO_REST else 0
        self._webhooks.note_failure(webhook, attempt, rests)
        if attempt.status == GONE:
            self._webhooks.disable(webhook, Disabled.GONE)
        elif webhook.failing_since and attempt.at - webhook.failing_since >= TRIED_FOR:
            self._webhooks.disable(webhook, Disabled.FAILING)
        if message.since and attempt.at - message.since >= TRIED_FOR:
            self._queues.drop(place, message)
        else:
            self._queues.retry(place, message, attempt.at)

    def _attempt(self, webhook: Webhook, message: Message) -> Attempt:
        body = orjson.dumps(message.body)
        posted = self._poster.post(webhook.url, signed(webhook, message.id, body), body)
        WEBHOOK_TRIES.labels(posted.outcome.value).inc()
        return Attempt(self._now(), posted.outcome, posted.status)


def signed(webhook: Webhook, message_id: str, body: bytes) -> dict[str, str]:
    """The headers of a body that is sent now (Standard Webhooks 1.0)."""
    now = datetime.now(UTC)
    return {
        "Content-Type": "application/json",
        "User-Agent": "Pepper-Webhooks/1",
        "webhook-id": message_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Signer(webhook.secret).sign(message_id, now, body),
    }
