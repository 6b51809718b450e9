"""What holds at every address: tokens, CORS, HEAD, methods, nothing changed by looking."""

import pytest
from redis import Redis

from service.api.app import create_app
from service.wiring import Services
from tests.api.conftest import Api, body_of
from tests.api.test_bodies import kept
from tests.api.test_games import finished_game

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND")
ORIGIN = {"Origin": "https://play.example"}
SENT = {
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "If-Match",
    "If-None-Match",
    "Last-Event-ID",
    "Prefer",
}
READ = {"ETag", "Location", "Retry-After", "RateLimit", "Allow", "Idempotent-Replayed"}
"""The headers that a page of any origin may send, and those that it may read."""

OPEN_TO_ALL = ("/docs", "/healthz", "/metrics", "/openapi.yaml", "/problems/", "/readyz")
"""Pages of the service itself, which read no token."""


def addresses(parts: Services, game: str, player: str) -> list[tuple[str, set[str]]]:
    """Every address with the methods it answers, its parts filled in."""
    answered: dict[str, set[str]] = {}
    for rule in create_app(parts).url_map.iter_rules():
        url = rule.rule.replace("<game_id>", game).replace("<player_id>", player)
        url = url.replace("<int:seat>", "0").replace("<int:version>", "5")
        url = url.replace("<code>", "game-over")
        answered.setdefault(url, set()).update(rule.methods or ())
    return sorted(answered.items())


@pytest.fixture
def game(api: Api, app_services: Services) -> tuple[str, str, str]:
    """A running game with bots: its id, its creator and their token. Streams end at once."""
    app_services.dismiss()
    player, token = api.new_player("Ana")
    game = str(api.new_game(token, players=3)["id"])
    api.bots_play(game)
    api.lobby_notices(game)
    return game, player, token


def test_looking_changes_nothing(
    api: Api, app_services: Services, redis_client: Redis, game: tuple[str, str, str]
) -> None:
    tokens = [api.new_player()[1] for _seat in range(2)]
    finished = finished_game(api, tokens)
    client = create_app(app_services).test_client()
    before, looked = kept(redis_client), 0
    for which, token in ((game[0], game[2]), (finished, tokens[0]), ("g_0unknown0000", None)):
        for url, methods in addresses(app_services, which, game[1]):
            for method in ("GET", "HEAD", "OPTIONS"):
                headers = {"Authorization": f"Bearer {token}"} if token else {}
                with client.open(url, method=method, headers=headers) as answer:
                    assert answer.status_code < 500
                assert (answer.status_code == 405) == (method not in methods)
                looked += 1
    assert kept(redis_client) == before
    assert looked > 150


def test_head_is_get_without_a_body(
    api: Api, app_services: Services, game: tuple[str, str, str]
) -> None:
    for url, methods in addresses(app_services, game[0], game[1]):
        if "GET" in methods and url != "/metrics":  # which grows with every request
            whole, head = api.get(url, token=game[2]), api.ask("HEAD", url, token=game[2])
            assert head.status_code == whole.status_code
            assert head.get_data() == b""
            for name in ("Content-Type", "Content-Length", "ETag", "Cache-Control", "Vary"):
                assert head.headers.get(name) == whole.headers.get(name), (url, name)


def test_a_bad_token_is_refused_everywhere(
    api: Api, app_services: Services, redis_client: Redis, game: tuple[str, str, str]
) -> None:
    for key in redis_client.scan_iter("pepper:{t:*"):
        redis_client.delete(key)
    before = kept(redis_client)
    for url, methods in addresses(app_services, game[0], game[1]):
        if url.startswith(OPEN_TO_ALL) or url == "/v1/players":
            continue
        for method in methods - {"OPTIONS", "HEAD"}:
            for header in (f"Bearer {game[2]}", "Bearer pepper_x", "Bearer", "Basic YTpi", "x"):
                answer = api.ask(method, url, json={}, headers={"Authorization": header})
                found = (answer.status_code, answer.json["code"])
                assert found == (401, "token-invalid"), (method, url, header)
                assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert kept(redis_client) == before


def test_every_origin_may_ask_and_read_every_answer(
    api: Api, app_services: Services, game: tuple[str, str, str]
) -> None:
    asks = {"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "If-Match"}
    for url, methods in [*addresses(app_services, game[0], game[1]), ("/nowhere", {"GET"})]:
        preflight = api.ask("OPTIONS", url, headers={**ORIGIN, **asks})
        if url != "/nowhere":
            assert preflight.status_code == 200
            assert methods <= set(preflight.headers["Access-Control-Allow-Methods"].split(", "))
            assert set(preflight.headers["Access-Control-Allow-Headers"].split(", ")) >= SENT
        for method in methods - {"HEAD", "OPTIONS"}:
            for token in (None, "pepper_bad"):
                data = None if method == "GET" else b"{"
                answer = api.ask(method, url, data=data, headers=ORIGIN, token=token)
                assert answer.headers["Access-Control-Allow-Origin"] == "*"
                assert "Access-Control-Allow-Credentials" not in answer.headers
                exposed = set(answer.headers["Access-Control-Expose-Headers"].split(", "))
                assert exposed >= READ


def test_a_method_that_an_address_does_not_answer(
    api: Api, app_services: Services, redis_client: Redis, game: tuple[str, str, str]
) -> None:
    before = kept(redis_client)
    for url, methods in addresses(app_services, game[0], game[1]):
        for method in set(METHODS) - methods:
            answer = api.ask(method, url, token=game[2], json={})
            assert (answer.status_code, answer.json["code"]) == (405, "method-not-allowed")
            assert set(answer.headers["Allow"].split(", ")) == methods
    assert kept(redis_client) == before


@pytest.mark.parametrize("number", ["01", "\N{ARABIC-INDIC DIGIT ONE}", "1x", "-1", "1.0"])
def test_a_number_in_an_address_has_one_spelling(
    app_services: Services, game: tuple[str, str, str], number: str
) -> None:
    client = create_app(app_services).test_client()
    for part in ("replay", "seats"):
        answer = client.get(f"/v1/games/{game[0]}/{part}/{number}")
        assert body_of(answer, 404)["code"] == "route-unknown"


@pytest.mark.parametrize("url", ["/", "/v1", "/v1/games/", "//v1/games", "/v1/Games", "/v1/me/x"])
def test_addresses_that_lead_nowhere(api: Api, url: str) -> None:
    for method in ("GET", "POST"):
        answer = api.ask(method, url)
        assert (answer.status_code, answer.json["code"]) == (404, "route-unknown")
        assert answer.json["type"] == "/problems/route-unknown"


def test_what_one_viewer_was_sent_is_kept_for_no_other(
    api: Api, app_services: Services, game: tuple[str, str, str]
) -> None:
    for url, methods in addresses(app_services, game[0], game[1]):
        if "GET" in methods and ("games/" in url or url.startswith(("/g/", "/v1/me"))):
            answer = api.get(url, token=game[2])
            kept_how = answer.headers["Cache-Control"]
            assert "private" in kept_how or "no-store" in kept_how, url
            if answer.status_code == 200:
                assert {"Authorization", "Accept"} <= set(answer.headers["Vary"].split(", ")), url
