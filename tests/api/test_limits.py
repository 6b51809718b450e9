"""Limits: by player, by address without a token, and never on an accepted action."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from limits import parse
from redis import Redis

from events.vocabulary import GameId
from service.api import games, limits
from service.api.app import create_app
from service.views.seat_view import legal_bodies
from service.wiring import Services, services
from tests.api.conftest import Api, CheckedClient


def api_of(parts: Services) -> Iterator[Api]:
    app = create_app(parts)
    app.test_client_class = CheckedClient
    with app.test_client() as client:
        assert isinstance(client, CheckedClient)
        yield Api(client, parts)
    parts.dismiss()
    parts.client.close()


@pytest.fixture
def limited(app_services: Services, monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    """The service with small quotas."""
    monkeypatch.setattr(limits, "READS", "6/hour")
    monkeypatch.setattr(limits, "WRITES", "4/hour")
    monkeypatch.setattr(limits, "JOINS", "3/hour")
    monkeypatch.setattr(limits, "REFUSED", parse("5/hour"))
    yield from api_of(services(replace(app_services.settings, rate_limits=True)))


def status_and_code(answer: object) -> tuple[int, str]:
    return answer.status_code, answer.json["code"]  # type: ignore[attr-defined]  # Flask's answer


LIMITED = (429, "rate-limited")


def test_two_players_of_one_address_have_a_quota_each(limited: Api) -> None:
    _first, ana = limited.new_player("Ana")
    _second, bob = limited.new_player("Bob")
    for _time in range(6):
        assert limited.get("/v1/me", token=ana).status_code == 200
    refused = limited.get("/v1/me", token=ana)
    assert status_and_code(refused) == LIMITED
    assert 0 < int(refused.headers["Retry-After"]) <= 3600
    assert limited.get("/v1/me", token=bob).status_code == 200
    assert limited.get("/v1/rules").status_code == 200


def test_without_a_token_or_with_a_bad_one_the_address_counts(limited: Api) -> None:
    _player, ana = limited.new_player("Ana")
    for _time in range(3):
        assert limited.get("/v1/rules").status_code == 200
        assert limited.get("/v1/me", token="pepper_unknown").status_code == 401
    assert status_and_code(limited.get("/v1/rules")) == LIMITED
    assert status_and_code(limited.get("/v1/me", token="pepper_unknown")) == LIMITED
    assert limited.get("/v1/me", token=ana).status_code == 200


def test_changes_have_a_tighter_quota_than_reads(limited: Api) -> None:
    _player, ana = limited.new_player()
    for _time in range(4):
        limited.new_game(ana)
    assert status_and_code(limited.post("/v1/games", json={"players": 4}, token=ana)) == LIMITED
    assert limited.get("/v1/me", token=ana).status_code == 200


def test_new_players_count_by_address_whatever_token_is_sent(limited: Api) -> None:
    tokens = [limited.new_player()[1] for _time in range(3)]
    for token in (None, tokens[0]):
        assert status_and_code(limited.post("/v1/players", json={}, token=token)) == LIMITED


def play(api: Api, parts: Services, token: str, game: str, actions: int) -> None:
    for _action in range(actions):
        api.bots_play(game)
        body = legal_bodies(parts.table.look(GameId(game)).game)[0]
        answer = api.post(f"/v1/games/{game}/actions", json=body, token=token)
        assert answer.status_code == 200, answer.json
        assert "RateLimit" not in answer.headers


def test_accepted_actions_are_never_limited(limited: Api, app_services: Services) -> None:
    _player, ana = limited.new_player()
    view = limited.new_game(ana, rules={"target_score": 1000})
    play(limited, app_services, ana, view["id"], 40)


def test_refused_actions_are_and_a_legal_one_is_still_accepted(
    limited: Api, app_services: Services
) -> None:
    _player, ana = limited.new_player()
    view = limited.new_game(ana, rules={"target_score": 1000})
    path = f"/v1/games/{view['id']}/actions"
    for left in (4, 3, 2, 1, 0):
        refused = limited.post(path, json={"type": "nonsense"}, token=ana)
        assert refused.status_code == 422
        assert refused.headers["RateLimit"].startswith(f'"refused";r={left};t=')
    refused = limited.post(path, json={"type": "nonsense"}, token=ana)
    assert status_and_code(refused) == LIMITED
    assert int(refused.headers["Retry-After"]) > 0
    assert refused.headers["Access-Control-Allow-Origin"] == "*"
    play(limited, app_services, ana, view["id"], 10)


def test_answers_say_what_is_left(limited: Api) -> None:
    for left in range(5, -1, -1):
        answer = limited.get("/v1/rules")
        assert answer.headers["RateLimit-Policy"] == '"reads";q=6;w=3600'
        assert re.fullmatch(rf'"reads";r={left};t=\d+', answer.headers["RateLimit"])


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/openapi.yaml"])
def test_some_addresses_are_free(limited: Api, path: str) -> None:
    for _time in range(8):
        answer = limited.get(path)
        assert answer.status_code == 200
        assert "RateLimit" not in answer.headers
        assert limited.ask("OPTIONS", "/v1/games").status_code == 200


def test_off_means_off(api: Api, redis_client: Redis) -> None:
    for _time in range(30):
        answer = api.post("/v1/players", json={})
        assert answer.status_code == 201
        assert "RateLimit" not in answer.headers
    assert redis_client.keys("pepper:limits*") == []


def test_without_a_store_the_request_answers_itself(app_services: Services, tmp_path: Path) -> None:
    elsewhere = f"unix://{tmp_path}/nowhere"
    cut_off = services(replace(app_services.settings, redis_url=elsewhere, rate_limits=True))
    for api in api_of(cut_off):
        assert api.get("/v1/rules").status_code == 200
        assert status_and_code(api.get("/v1/games")) == (503, "store-unavailable")
        assert status_and_code(api.post("/v1/players", json={})) == (503, "store-unavailable")


def test_a_player_has_only_so_many_unfinished_games(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games, "MOST_UNFINISHED", 2)
    (_ana, token), (_bob, other) = api.new_player("Ana"), api.new_player("Bob")
    first, second = (api.new_game(token, **body) for body in ({}, {"start": "manual"}))
    api.lobby_notices(first["id"], second["id"])
    refused = api.post("/v1/games", json={"players": 4}, token=token)
    assert status_and_code(refused) == (409, "too-many-open-games")
    api.new_game(other)
    assert api.post(f"/v1/games/{second['id']}/abort", token=token).status_code == 200
    api.lobby_notices(second["id"])
    api.new_game(token)
