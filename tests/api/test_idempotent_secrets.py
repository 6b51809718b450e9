"""Codes, tokens by codes and webhooks under an `Idempotency-Key`: made once, shown again."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest
from redis import Redis

from events.vocabulary import PlayerId
from service.webhooks.queues import TESTS, Place, Queues
from service.webhooks.registry import MOST_WEBHOOKS
from service.wiring import Services
from tests.api.conftest import Api, body_of
from tests.api.test_idempotency import KEY, LONG_KEY, other_process

OTHER_KEY = {"Idempotency-Key": "1c5f5a7cae1f4a2a1a2b3c4d"}
WEBHOOK = {"url": "https://bot.example.org/pepper?key=1", "events": ["invited", "turn"]}
MAKING = [("/v1/me/link-code", {}), ("/v1/me/recovery-code", {}), ("/v1/webhooks", WEBHOOK)]
making = pytest.mark.parametrize(("path", "body"), MAKING)
codes = pytest.mark.parametrize("kind", ["link", "recovery"])


def code_of(api: Api, kind: str, token: str, headers: dict[str, str] | None = None) -> str:
    return str(body_of(api.post(f"/v1/me/{kind}-code", token=token, headers=headers), 201)["code"])


def twenty(app_services: Services, path: str, **asked: Any) -> list[Any]:
    """The answers to twenty copies of a POST, at once, of four processes."""
    asking = [other_process(app_services) for _process in range(4)]
    with ThreadPoolExecutor(20) as pool:
        return [*pool.map(lambda copy: asking[copy % 4].post(path, **asked), range(20))]


def tokens_of(api: Api, token: str) -> int:
    return len(body_of(api.get("/v1/tokens", token=token))["items"])


@making
def test_a_repeat_shows_the_same_and_makes_nothing(
    api: Api, app_services: Services, path: str, body: Any
) -> None:
    _player, token = api.new_player()
    first = api.post(path, json=body, token=token, headers=KEY)
    assert "Idempotent-Replayed" not in first.headers
    for asks in (api, other_process(app_services)):
        again = asks.post(path, json=body, token=token, headers=KEY)
        assert again.headers["Idempotent-Replayed"] == "true"
        assert body_of(again, 201) == body_of(first, 201)
        assert again.headers.get("Location") == first.headers.get("Location")
    for other in ({"url": "https://other.example.org/", "events": ["turn"]}, {"unknown": 1}):
        reused = api.post(path, json=other, token=token, headers=KEY)
        assert body_of(reused, 422)["code"] == "idempotency-key-reused"


@making
def test_twenty_copies_make_one(
    app_services: Services, api: Api, redis_client: Redis, path: str, body: Any
) -> None:
    _player, token = api.new_player()
    answers = twenty(app_services, path, json=body, token=token, headers=KEY)
    made = [body_of(answer, 201) for answer in answers]
    assert all(each == made[0] for each in made)
    kept = sum(
        len(redis_client.keys(each)) for each in ("pepper:{c:*", "pepper:{r:*", "*webhook:*")
    )
    assert kept == 1


@making
def test_another_player_or_token_is_not_shown_it(api: Api, path: str, body: Any) -> None:
    (_ana, hers), (_ben, his) = api.new_player(), api.new_player()
    first = body_of(api.post(path, json=body, token=hers, headers=KEY), 201)
    answer = api.post(path, json=body, token=his, headers=KEY)
    assert "Idempotent-Replayed" not in answer.headers
    assert body_of(answer, 201) != first
    weaker = {"name": "Less", "scopes": ["account", "webhooks"], "expires_in": 60}
    less = body_of(api.post("/v1/tokens", json=weaker, token=hers), 201)["token"]
    refused = api.post(path, json=body, token=less, headers=KEY)
    assert body_of(refused, 422)["code"] == "idempotency-key-reused"


def test_only_hashes_of_codes_are_kept(api: Api, redis_client: Redis) -> None:
    _player, token = api.new_player()
    link, paper = code_of(api, "link", token, KEY), code_of(api, "recovery", token, OTHER_KEY)
    made = body_of(api.post("/v1/tokens", json={"link_code": link}, headers=LONG_KEY), 201)
    secret = made["token"].removeprefix("pepper_")
    for key in cast(list[bytes], redis_client.keys("*")):
        kept = key + cast(bytes, redis_client.dump(key))
        assert not any(each.encode() in kept for each in (link, paper, secret))


@codes
def test_a_code_gives_one_token_under_a_key(api: Api, app_services: Services, kind: str) -> None:
    player, first = api.new_player()
    body = {f"{kind}_code": code_of(api, kind, first), "name": "Phone"}
    made = body_of(api.post("/v1/tokens", json=body, headers=LONG_KEY), 201)
    assert api.get("/v1/me", token=made["token"]).json["id"] == player
    for asks in (api, other_process(app_services)):
        again = asks.post("/v1/tokens", json=body, headers=LONG_KEY)
        assert again.headers["Idempotent-Replayed"] == "true"
        assert body_of(again, 201) == made
    assert tokens_of(api, made["token"]) == (2 if kind == "link" else 1)
    for headers in (OTHER_KEY, None):
        refused = api.post("/v1/tokens", json=body, headers=headers)
        assert body_of(refused, 403)["code"] == "code-invalid"
    for other in ({**body, "name": "Tablet"}, {**body, f"{kind}_code": "x"}):
        reused = api.post("/v1/tokens", json=other, headers=LONG_KEY)
        assert body_of(reused, 422)["code"] == "idempotency-key-reused"


@codes
def test_twenty_uses_of_a_code_give_one_token(api: Api, app_services: Services, kind: str) -> None:
    _player, first = api.new_player()
    body = {f"{kind}_code": code_of(api, kind, first)}
    answers = twenty(app_services, "/v1/tokens", json=body, headers=LONG_KEY)
    made = [body_of(answer, 201) for answer in answers]
    assert all(each == made[0] for each in made)
    assert tokens_of(api, made[0]["token"]) == (2 if kind == "link" else 1)


@codes
def test_of_many_keys_one_uses_the_code(api: Api, app_services: Services, kind: str) -> None:
    _player, first = api.new_player()
    body = {f"{kind}_code": code_of(api, kind, first)}
    asking = [other_process(app_services) for _process in range(4)]

    def use(number: int) -> Any:
        headers = {"Idempotency-Key": f"5d0f3b2e7c9a4f6e8b1d-{number}"}
        return asking[number % 4].post("/v1/tokens", json=body, headers=headers)

    with ThreadPoolExecutor(8) as pool:
        answers = [*pool.map(use, range(8))]
    assert sorted(answer.status_code for answer in answers) == [201] + [403] * 7
    made = next(body_of(answer, 201) for answer in answers if answer.status_code == 201)
    assert tokens_of(api, made["token"]) == (2 if kind == "link" else 1)


@codes
def test_a_code_and_a_key_that_can_be_guessed_give_nothing(api: Api, kind: str) -> None:
    _player, first = api.new_player()
    body = {f"{kind}_code": code_of(api, kind, first)}
    headers = {"Idempotency-Key": "x" * 21}
    refused = api.post("/v1/tokens", json=body, headers=headers)
    assert body_of(refused, 400)["code"] == "malformed-header"
    assert api.post("/v1/tokens", json=body).status_code == 201


@codes
def test_a_wrong_code_under_a_key_is_not_remembered_but_counted(api: Api, kind: str) -> None:
    bodies = [{f"{kind}_code": f"x{number}"} for number in range(11)]
    answers = [api.post("/v1/tokens", json=body, headers=LONG_KEY) for body in bodies]
    assert [answer.status_code for answer in answers] == [403] * 10 + [429]


def test_a_code_that_was_used_is_not_made_again(api: Api, redis_client: Redis) -> None:
    player, first = api.new_player()
    code = code_of(api, "link", first, KEY)
    body_of(api.post("/v1/tokens", json={"link_code": code}), 201)
    (request,) = cast(list[bytes], redis_client.keys(f"pepper:{{p:{player}}}:request:*"))
    undone = cast(bytes, redis_client.get(request)).removesuffix(b"+")
    redis_client.set(request, undone)  # as if its first coming had been cut off
    assert code_of(api, "link", first, KEY) == code
    refused = api.post("/v1/tokens", json={"link_code": code})
    assert body_of(refused, 403)["code"] == "code-invalid"


@codes
@pytest.mark.parametrize("cut", [False, True])
def test_a_use_that_was_cut_off_is_ended(
    api: Api, redis_client: Redis, kind: str, *, cut: bool
) -> None:
    _player, first = api.new_player()
    body = {f"{kind}_code": code_of(api, kind, first)}
    made = body_of(api.post("/v1/tokens", json=body, headers=LONG_KEY), 201)
    (request,) = cast(list[bytes], redis_client.keys("pepper:{k:*"))
    if cut:
        redis_client.set(request, cast(bytes, redis_client.get(request)).removesuffix(b"+"))
    assert body_of(api.post("/v1/tokens", json=body, headers=LONG_KEY), 201) == made
    assert tokens_of(api, made["token"]) == (2 if kind == "link" else 1)


def test_a_key_used_again_after_its_day_makes_something_new(api: Api, redis_client: Redis) -> None:
    player, token = api.new_player()
    first = body_of(api.post("/v1/webhooks", json=WEBHOOK, token=token, headers=KEY), 201)
    for key in redis_client.keys(f"pepper:{{p:{player}}}:request:*"):
        redis_client.delete(key)
    second = body_of(api.post("/v1/webhooks", json=WEBHOOK, token=token, headers=KEY), 201)
    assert {first["id"], first["secret"]}.isdisjoint({second["id"], second["secret"]})


def test_the_last_place_for_a_webhook_is_given_once(api: Api, app_services: Services) -> None:
    _player, token = api.new_player()
    for _each in range(MOST_WEBHOOKS - 1):
        body_of(api.post("/v1/webhooks", json=WEBHOOK, token=token), 201)
    answers = twenty(app_services, "/v1/webhooks", json=WEBHOOK, token=token, headers=KEY)
    assert {answer.status_code for answer in answers} == {201}
    refused = api.post("/v1/webhooks", json=WEBHOOK, token=token, headers=OTHER_KEY)
    assert body_of(refused, 409)["code"] == "too-many-webhooks"


def test_a_deleted_webhook_is_not_made_again(api: Api) -> None:
    _player, token = api.new_player()
    made = body_of(api.post("/v1/webhooks", json=WEBHOOK, token=token, headers=KEY), 201)
    path = f"/v1/webhooks/{made['id']}"
    changed = {"events": ["turn"], "enabled": False}
    body_of(api.patch(path, json=changed, token=token))
    assert body_of(api.post("/v1/webhooks", json=WEBHOOK, token=token, headers=KEY), 201) == made
    assert api.get(path, token=token).json["events"] == ["turn"]
    api.delete(path, token=token)
    assert body_of(api.post("/v1/webhooks", json=WEBHOOK, token=token, headers=KEY), 201) == made
    assert body_of(api.get("/v1/webhooks", token=token))["items"] == []


def test_a_test_under_a_key_is_sent_once(api: Api, app_services: Services) -> None:
    player, token = api.new_player()
    hook = body_of(api.post("/v1/webhooks", json=WEBHOOK, token=token), 201)
    path, queues = f"/v1/webhooks/{hook['id']}/test", Queues(app_services.client)
    place = Place(PlayerId(player), hook["id"], TESTS)
    answers = twenty(app_services, path, token=token, headers=KEY)
    assert {answer.status_code for answer in answers} == {202}
    message = queues.head(place)
    assert message is not None
    queues.drop(place, message)
    again = api.post(path, token=token, headers=KEY)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert queues.head(place) is None
    body_of(api.post(path, token=token, headers=OTHER_KEY), 202)
    assert queues.head(place) is not None


def test_a_test_that_was_cut_off_is_not_sent_twice(api: Api, app_services: Services) -> None:
    player, token = api.new_player()
    hook = body_of(api.post("/v1/webhooks", json=WEBHOOK, token=token), 201)
    path, queues = f"/v1/webhooks/{hook['id']}/test", Queues(app_services.client)
    place = Place(PlayerId(player), hook["id"], TESTS)
    body_of(api.post(path, token=token, headers=KEY), 202)
    message = queues.head(place)
    assert message is not None
    queues.drop(place, message)
    (request,) = cast(list[bytes], app_services.client.keys("pepper:{p:*:request:*"))
    undone = cast(bytes, app_services.client.get(request)).removesuffix(b"+")
    app_services.client.set(request, undone)
    body_of(api.post(path, token=token, headers=KEY), 202)
    assert queues.head(place) is None
