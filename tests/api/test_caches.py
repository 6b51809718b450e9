"""A cache that does what our headers say never hands one viewer's view to another."""

from dataclasses import dataclass
from typing import Any

import pytest

from tests.api.conftest import Api, body_of

Sent = dict[str, str]
PATHS = ("", "?version=9", "?as=spectator", "/rounds", "/replay", "/events?after=5", "/replay/9")
FORMS = ("application/json", "text/plain")


@dataclass
class Kept:
    """An answer in the cache, and the headers that it varies by as they were sent."""

    varied: Sent
    status: int
    headers: Any
    body: bytes


class Cache:
    """An HTTP cache (RFC 9111): a shared one keeps nothing private, each asks again if it must."""

    def __init__(self, api: Api, *, is_shared: bool) -> None:
        self._api, self._is_shared = api, is_shared
        self._kept: dict[str, list[Kept]] = {}
        self.hits = self.stored = 0

    def get(self, url: str, sent: Sent) -> tuple[int, bytes]:
        """The answer, from here if that may be."""
        for kept in self._kept.get(url, []):
            if kept.varied == {name: sent.get(name, "") for name in kept.varied}:
                return self._from(kept, url, sent)
        return self._fetch(url, sent)

    def _from(self, kept: Kept, url: str, sent: Sent) -> tuple[int, bytes]:
        told = kept.headers.get("Cache-Control", "")
        if "max-age" in told and "no-cache" not in told:
            self.hits += 1
            return kept.status, kept.body
        etag = kept.headers.get("ETag")
        status, body = self._fetch(url, {**sent, **({"If-None-Match": etag} if etag else {})})
        if status == 304:
            self.hits += 1
            return kept.status, kept.body
        return status, body

    def _fetch(self, url: str, sent: Sent) -> tuple[int, bytes]:
        answer = self._api.get(url, headers=sent)
        told = answer.headers.get("Cache-Control", "")
        names = [name.strip() for name in answer.headers.get("Vary", "").split(",")]
        is_private = self._is_shared and ("private" in told or not told)
        if answer.status_code == 200 and "no-store" not in told and not is_private:
            varied = {name: sent.get(name, "") for name in names if name}
            kept = Kept(varied, answer.status_code, answer.headers, answer.get_data())
            others = [one for one in self._kept.get(url, []) if one.varied != varied]
            self._kept[url] = [kept, *others]
            self.stored += 1
        return answer.status_code, answer.get_data()


@pytest.fixture
def tokens(api: Api) -> list[str]:
    return [api.new_player()[1] for _seat in range(3)]


@pytest.fixture
def path(api: Api, tokens: list[str]) -> str:
    """A game of three persons with some calls made."""
    seats = [{"kind": "me"}, {"kind": "open"}, {"kind": "open"}]
    rules = {"target_score": 1}
    view = api.new_game(tokens[0], players=3, seats=seats, rules=rules)
    path = f"/v1/games/{view['id']}"
    for token in tokens[1:]:
        api.post(f"{path}/seats", token=token)
    act(api, path, tokens, 4)
    return path


def act(api: Api, path: str, tokens: list[str], actions: int) -> None:
    for _ in range(actions):
        turn = body_of(api.get(path))["turn"]
        if turn is None:
            return
        token = tokens[turn["seats"][0]]
        actions_now = body_of(api.get(path, token=token))["you"]["legal_actions"]
        body_of(api.post(f"{path}/actions", json=actions_now[-1], token=token))


def check(api: Api, cache: Cache, path: str, tokens: list[str | None]) -> None:
    """Fails unless the cache answers every viewer as the service does."""
    for ask in PATHS:
        for form in FORMS:
            for token in [*tokens, *tokens]:
                sent = {"Accept": form, **({"Authorization": f"Bearer {token}"} if token else {})}
                fresh = api.get(path + ask, headers=sent)
                assert cache.get(path + ask, sent) == (fresh.status_code, fresh.get_data())


@pytest.mark.parametrize("is_shared", [True, False])
def test_a_cache_answers_every_viewer_as_the_service_does(
    api: Api, path: str, tokens: list[str], *, is_shared: bool
) -> None:
    cache = Cache(api, is_shared=is_shared)
    viewers = [*tokens, None, "pepper_nobody"]
    for _ in range(3):
        check(api, cache, path, viewers)
        act(api, path, tokens, 2)
    act(api, path, tokens, 10_000)
    assert body_of(api.get(path))["status"] == "finished"
    check(api, cache, path, viewers)
    assert is_shared or cache.hits > 0


def test_a_shared_cache_keeps_nothing_of_a_running_game(api: Api, path: str) -> None:
    cache = Cache(api, is_shared=True)
    for ask in PATHS:
        cache.get(path + ask, {})
    assert cache.stored == 0


def test_a_revoked_token_gets_no_view_from_a_cache(api: Api, path: str, tokens: list[str]) -> None:
    cache = Cache(api, is_shared=False)
    body = {"name": "tablet", "scopes": ["read"]}
    made = body_of(api.post("/v1/tokens", json=body, token=tokens[0]), 201)
    sent = {"Authorization": f"Bearer {made['token']}"}
    assert cache.get(path, sent)[0] == 200
    api.delete(f"/v1/tokens/{made['token_info']['id']}", token=tokens[0])
    assert cache.get(path, sent)[0] == 401
