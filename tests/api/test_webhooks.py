"""Webhooks over HTTP: made, listed, changed, deleted, by their owner alone."""

from typing import Any

import pytest
from redis import Redis

from events.vocabulary import PlayerId
from service.webhooks.queues import delete_all
from service.webhooks.registry import MOST_WEBHOOKS, Attempt, Webhooks
from service.webhooks.vocabulary import Disabled, Outcome
from tests.api.conftest import Api, body_of

BODY = {"url": "https://bot.example.org/pepper?key=1", "events": ["invited", "turn"]}
OPERATIONS = [
    ("GET", "", None),
    ("PATCH", "", {"enabled": False}),
    ("POST", "/test", None),
    ("DELETE", "", None),
]


def made(api: Api, token: str, **body: Any) -> dict[str, Any]:
    return body_of(api.post("/v1/webhooks", json={**BODY, **body}, token=token), 201)


def path_of(webhook: dict[str, Any]) -> str:
    return f"/v1/webhooks/{webhook['id']}"


def test_a_webhook_shows_its_secret_once(api: Api) -> None:
    _player, token = api.new_player()
    answer = api.post("/v1/webhooks", json=BODY, token=token)
    webhook = body_of(answer, 201)
    secret = webhook.pop("secret")
    assert answer.headers["Location"] == path_of(webhook)
    assert answer.headers["Cache-Control"] == "no-store"
    assert webhook["events"] == ["turn", "invited"]
    assert (webhook["enabled"], webhook["disabled_reason"]) == (True, None)
    shown = api.get(path_of(webhook), token=token)
    assert shown.json == webhook
    assert api.get("/v1/webhooks", token=token).json == {"items": [webhook]}
    assert secret not in shown.text


def test_they_are_listed_the_oldest_first(api: Api) -> None:
    _player, token = api.new_player()
    ids = [made(api, token)["id"] for _each in range(3)]
    listed = api.get("/v1/webhooks", token=token).json["items"]
    assert {each["id"] for each in listed} == set(ids)
    assert [each["created_at"] for each in listed] == sorted(each["created_at"] for each in listed)


def test_there_is_a_most_of_webhooks(api: Api) -> None:
    _player, token = api.new_player()
    hooks = [made(api, token) for _each in range(MOST_WEBHOOKS)]
    refused = api.post("/v1/webhooks", json=BODY, token=token)
    assert (refused.status_code, refused.json["code"]) == (409, "too-many-webhooks")
    assert api.delete(path_of(hooks[0]), token=token).status_code == 204
    made(api, token)


def test_its_owner_changes_it(api: Api) -> None:
    _player, token = api.new_player()
    webhook = made(api, token)
    change = {"url": "https://other.example.org/", "events": ["game_finished"]}
    changed = body_of(api.patch(path_of(webhook), json=change, token=token))
    assert (changed["url"], changed["events"]) == (change["url"], change["events"])
    off = body_of(api.patch(path_of(webhook), json={"enabled": False}, token=token))
    assert (off["enabled"], off["disabled_reason"]) == (False, "owner")
    assert api.post(f"{path_of(webhook)}/test", token=token).json["code"] == "webhook-disabled"
    on = body_of(api.patch(path_of(webhook), json={"enabled": True}, token=token))
    assert (on["enabled"], on["disabled_reason"]) == (True, None)
    assert body_of(api.patch(path_of(webhook), json={}, token=token)) == on


def test_why_it_was_disabled_is_shown_until_it_is_enabled(api: Api, redis_client: Redis) -> None:
    player, token = api.new_player()
    webhook, kept = made(api, token), Webhooks(redis_client)
    own = kept.get(PlayerId(player), webhook["id"])
    kept.note_failure(own, Attempt(1_700_000_000_000, Outcome.REFUSED, 500), 1_700_000_005_000)
    kept.disable(own, Disabled.FAILING)
    shown = body_of(api.get(path_of(webhook), token=token))
    assert (shown["enabled"], shown["disabled_reason"]) == (False, "failing")
    assert shown["failing_since"] == "2023-11-14T22:13:20.000Z"
    assert shown["last_delivery"] == {
        "at": "2023-11-14T22:13:20.000Z",
        "outcome": "refused",
        "status": 500,
    }
    enabled = body_of(api.patch(path_of(webhook), json={"enabled": True}, token=token))
    assert (enabled["disabled_reason"], enabled["failing_since"]) == (None, None)


def test_a_deleted_one_is_gone_with_its_secret(api: Api, redis_client: Redis) -> None:
    _player, token = api.new_player()
    webhook = made(api, token)
    assert api.post(f"{path_of(webhook)}/test", token=token).status_code == 202
    assert redis_client.keys("*webhook*") != []
    assert api.delete(path_of(webhook), token=token).status_code == 204
    assert api.get(path_of(webhook), token=token).json["code"] == "webhook-unknown"
    assert redis_client.keys("*webhook*") == []


def test_an_erased_player_has_none(api: Api, redis_client: Redis) -> None:
    (player, token), (_other, others) = api.new_player(), api.new_player()
    for _each in range(3):
        api.post(f"{path_of(made(api, token))}/test", token=token)
    kept = made(api, others)
    delete_all(redis_client, PlayerId(player))
    assert redis_client.keys(f"*{player}*webhook*") == []
    assert redis_client.zcard("pepper:{webhooks}:due") == 0
    assert api.get(path_of(kept), token=others).status_code == 200


@pytest.mark.parametrize(("method", "below", "body"), OPERATIONS)
def test_nobody_reaches_anothers(api: Api, method: str, below: str, body: Any) -> None:
    (_ana, hers), (_ben, his) = api.new_player(), api.new_player()
    webhook = made(api, hers)
    answer = api.ask(method, f"{path_of(webhook)}{below}", json=body, token=his)
    assert (answer.status_code, answer.json["code"]) == (404, "webhook-unknown")
    assert body_of(api.get(path_of(webhook), token=hers))["enabled"]
    assert api.get("/v1/webhooks", token=his).json == {"items": []}


@pytest.mark.parametrize("webhook_id", ["w_none", "x", "w_0123456789abcdef", "{id}:told"])
def test_an_id_that_is_none_is_unknown(api: Api, webhook_id: str) -> None:
    _player, token = api.new_player()
    webhook = made(api, token)
    api.post(f"{path_of(webhook)}/test", token=token)
    answer = api.get(f"/v1/webhooks/{webhook_id.format(**webhook)}", token=token)
    assert (answer.status_code, answer.json["code"]) == (404, "webhook-unknown")


@pytest.mark.parametrize(("method", "below", "body"), [*OPERATIONS, ("GET", "/..", None)])
def test_it_takes_a_token_with_the_scope(api: Api, method: str, below: str, body: Any) -> None:
    _player, token = api.new_player()
    path = f"{path_of(made(api, token))}{below}" if below != "/.." else "/v1/webhooks"
    sent = {"name": "Reader", "scopes": ["read", "play", "account"]}
    weak = body_of(api.post("/v1/tokens", json=sent, token=token), 201)["token"]
    assert api.ask(method, path, json=body).json["code"] == "token-missing"
    assert api.ask(method, path, json=body, token=weak).json["code"] == "scope-missing"


@pytest.mark.parametrize(
    "url",
    [
        "http://bot.example.org/",
        "ftp://bot.example.org/",
        "//bot.example.org/",
        "bot.example.org",
        "https://",
        "https:///path",
        "https://ana:@bot.example.org/",
        "https://@bot.example.org/",
        "https://bot.example.org/#part",
        "https://bot.example.org:0/",
        "https://bot.example.org:65536/",
        "https://bot.example.org:port/",
        "https://bot.example.org\\@127.0.0.1/",
        "https://bot.example.org/ x",
        "https://bot.example.org/\r\nHost: x",
        "https://bücher.example/",
        "https://localhost/",
        "https://api.LOCALHOST./",
        "https://127.0.0.1/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f.0.0.1/",
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://10.0.0.7/",
        "https://169.254.169.254/latest/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[fe80::1%25eth0]/",
        "https://[::1/",
        "https://a..example.org/",
        "https://" + "a" * 64 + ".example.org/",
    ],
)
def test_urls_that_lead_nowhere_public_are_refused(api: Api, url: str) -> None:
    _player, token = api.new_player()
    refused = api.post("/v1/webhooks", json={**BODY, "url": url}, token=token)
    assert (refused.status_code, refused.json["code"]) == (422, "url-forbidden")
    webhook = made(api, token)
    refused = api.patch(path_of(webhook), json={"url": url}, token=token)
    assert (refused.status_code, refused.json["code"]) == (422, "url-forbidden")
    assert api.get(path_of(webhook), token=token).json["url"] == BODY["url"]


@pytest.mark.parametrize(
    "url", ["https://8.8.8.8:8443/x", "https://[2606:4700::1]/", "https://bot.example.org"]
)
def test_public_urls_are_taken(api: Api, url: str) -> None:
    assert made(api, api.new_player()[1], url=url)["url"] == url


@pytest.mark.parametrize(
    "change",
    [{"url": wrong} for wrong in ("", None, 3, "https://x.example/" + "a" * 2000)]
    + [{"events": wrong} for wrong in ([], None, "turn", ["card"], [None])],
)
def test_bodies_that_do_not_fit(api: Api, change: dict[str, Any]) -> None:
    _player, token = api.new_player()
    answer = api.post("/v1/webhooks", json={**BODY, **change}, token=token)
    assert (answer.status_code, answer.json["code"]) == (422, "invalid-body")
    assert set(answer.json["errors"]) == set(change)
