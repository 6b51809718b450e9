"""Webhooks: addresses of the caller's that are told when something waits for them."""

from typing import Any

from flask import Blueprint, Response

from service.api.answers import json_response
from service.api.attempts import attempt
from service.api.auth import caller_with
from service.api.bodies import request_json
from service.api.problems import Problem
from service.api.schemas import CHANGE_WEBHOOK, NEW_WEBHOOK, NOTHING, loaded
from service.api.services import current
from service.views.canonical import rfc3339
from service.webhooks.addresses import UrlForbidden, target_of
from service.webhooks.queues import Queues
from service.webhooks.registry import (
    TooManyWebhooks,
    Webhook,
    Webhooks,
    WebhookUnknown,
    new_webhook,
)
from service.webhooks.vocabulary import Topic

webhooks = Blueprint("webhooks", __name__)
NOT_KEPT = {"Cache-Control": "no-store"}


@webhooks.post("/v1/webhooks")
def create_webhook() -> Response:
    """A further webhook of the caller's; the only answer that shows its secret."""
    who = caller_with("webhooks")
    with attempt(who) as tried:
        body = loaded(NEW_WEBHOOK, request_json())
        _check(body["url"])
        topics = _topics(body["events"])
        made = new_webhook(who.player, body["url"], topics, tried.at, tried.draw)
        if not tried.is_done:
            _add(made)
    headers = {**NOT_KEPT, **tried.headers, "Location": f"/v1/webhooks/{made.id}"}
    return json_response({**webhook_shape(made), "secret": made.secret}, 201, headers)


def _add(made: Webhook) -> None:
    try:
        Webhooks(current().client).add(made)
    except TooManyWebhooks:
        raise Problem("too-many-webhooks") from None


@webhooks.get("/v1/webhooks")
def list_webhooks() -> Response:
    """The caller's webhooks."""
    who = caller_with("webhooks")
    items = [webhook_shape(each) for each in Webhooks(current().client).of(who.player)]
    return json_response({"items": items}, headers=NOT_KEPT)


@webhooks.get("/v1/webhooks/<webhook_id>")
def get_webhook(webhook_id: str) -> Response:
    """One of the caller's webhooks, and how it fares."""
    return json_response(webhook_shape(_own(webhook_id)), headers=NOT_KEPT)


@webhooks.patch("/v1/webhooks/<webhook_id>")
def change_webhook(webhook_id: str) -> Response:
    """One of the caller's webhooks after a change."""
    own = _own(webhook_id)
    body = loaded(CHANGE_WEBHOOK, request_json())
    if "url" in body:
        _check(body["url"])
    topics = _topics(body["events"]) if "events" in body else None
    try:
        changed = Webhooks(current().client).change(
            own.player, own.id, url=body.get("url"), topics=topics, enabled=body.get("enabled")
        )
    except WebhookUnknown:
        raise Problem("webhook-unknown") from None
    return json_response(webhook_shape(changed), headers=NOT_KEPT)


@webhooks.delete("/v1/webhooks/<webhook_id>")
def delete_webhook(webhook_id: str) -> Response:
    """The end of one of the caller's webhooks, and of what waited for it."""
    own = _own(webhook_id)
    Queues(current().client).delete(own.player, own.id)
    return Response(status=204, headers=NOT_KEPT)


@webhooks.post("/v1/webhooks/<webhook_id>/test")
def test_webhook(webhook_id: str) -> Response:
    """A message of type test on its way, tried once."""
    own = _own(webhook_id)
    with attempt(caller_with("webhooks")) as tried:
        loaded(NOTHING, request_json(is_optional=True))
        if not tried.is_done:
            _send_test(own, tried.at)
    return json_response(webhook_shape(own), 202, {**NOT_KEPT, **tried.headers})


def _send_test(own: Webhook, now: int) -> None:
    if own.disabled:
        raise Problem("webhook-disabled")
    Queues(current().client).push_test(own, now)


def webhook_shape(webhook: Webhook) -> dict[str, Any]:
    """A webhook as answers show it: all but its secret."""
    last = webhook.last
    return {
        "id": webhook.id,
        "url": webhook.url,
        "events": list(webhook.topics),
        "enabled": webhook.disabled is None,
        "disabled_reason": webhook.disabled,
        "created_at": rfc3339(webhook.created_at),
        "failing_since": None if webhook.failing_since is None else rfc3339(webhook.failing_since),
        "last_delivery": None
        if last is None
        else {"at": rfc3339(last.at), "outcome": last.outcome, "status": last.status},
    }


def _own(webhook_id: str) -> Webhook:
    who = caller_with("webhooks")
    try:
        return Webhooks(current().client).get(who.player, webhook_id)
    except WebhookUnknown:
        raise Problem("webhook-unknown") from None


def _check(url: str) -> None:
    try:
        target_of(url, loopback=current().settings.webhooks_loopback)
    except UrlForbidden as fault:
        raise Problem("url-forbidden", str(fault)) from None


def _topics(names: list[str]) -> list[Topic]:
    """Each once, in the order of the set."""
    return [topic for topic in Topic if topic in names]
