"""Players, tokens and names over HTTP."""

from typing import cast

import pytest
from redis import Redis

from tests.api.conftest import Api


def test_a_player_has_a_token_at_once(api: Api) -> None:
    answer = api.post("/v1/players", json={"name": "Ana"})
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/v1/players/{answer.json['player']['id']}"
    me = api.get("/v1/me", token=answer.json["token"])
    assert me.json["name"] == "Ana"
    assert me.json["games"] == {"finished": 0, "won": 0, "aborted": 0}


def test_no_body_makes_a_player_with_a_made_up_name(api: Api) -> None:
    name = api.post("/v1/players").json["player"]["name"]
    assert name.startswith("Player ")
    assert len(name) == len("Player 4F7A")


def test_an_engine_is_marked(api: Api) -> None:
    player, _token = api.new_player("Engine", bot=True)
    assert api.get(f"/v1/players/{player}").json["bot"] is True


@pytest.mark.parametrize("name", ["Ζωή", "शक्ति", "👩‍👩‍👧", "محمد", "ง่าย", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"])
def test_names_in_any_script_come_back_as_they_went_in(api: Api, name: str) -> None:
    player, token = api.new_player(name)
    assert api.get(f"/v1/players/{player}").json["name"] == name
    view = api.new_game(token)
    assert view["seats"][0]["player"]["name"] == name
    page = api.get(view["url"], headers={"Accept": "text/html"})
    assert name in page.get_data(as_text=True)


@pytest.mark.parametrize(
    "name", ["", "   ", "a\u202eb", "\u200d", "a\nb", "x" * 25, "\u2066", "\x00", "\u3164"]
)
def test_names_that_mislead_are_refused(api: Api, name: str) -> None:
    answer = api.post("/v1/players", json={"name": name})
    assert (answer.status_code, answer.json["code"]) == (422, "invalid-body")
    assert "name" in answer.json["errors"]


def test_a_new_name_is_shown_in_every_answer(api: Api) -> None:
    player, token = api.new_player("Before")
    view = api.new_game(token)
    before = api.get(f"/v1/games/{view['id']}")
    assert api.patch("/v1/me", json={"name": "After"}, token=token).json["name"] == "After"
    after = api.get(f"/v1/games/{view['id']}")
    assert after.json["seats"][0]["player"] == {"id": player, "name": "After", "bot": False}
    assert after.json["view_hash"] == before.json["view_hash"]
    assert after.headers["ETag"] != before.headers["ETag"]


def test_names_are_escaped_in_pages(api: Api) -> None:
    _player, token = api.new_player("<b>&\"'")
    view = api.new_game(token)
    page = api.get(view["url"], headers={"Accept": "text/html"}).get_data(as_text=True)
    assert "<b>" not in page
    assert "&lt;b&gt;" in page


@pytest.mark.parametrize(
    "header", ["Bearer nonsense", "Bearer ", "Basic abc", "Bearer " + "x" * 500, "nonsense", ""]
)
@pytest.mark.parametrize("path", ["/v1/me", "/v1/games", "/v1/rules", "/v1/players/p_nobody"])
def test_a_bad_token_is_never_treated_as_none(api: Api, header: str, path: str) -> None:
    answer = api.get(path, headers={"Authorization": header})
    assert (answer.status_code, answer.json["code"]) == (401, "token-invalid")


def test_a_needed_token_that_is_missing_is_named(api: Api) -> None:
    answer = api.get("/v1/me")
    assert (answer.status_code, answer.json["code"]) == (401, "token-missing")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("player", ["p_nobody", "x", "p_%00", "g_0aaaaaaaaaa"])
def test_unknown_players(api: Api, player: str) -> None:
    assert api.get(f"/v1/players/{player}").json["code"] == "player-unknown"


def test_the_store_holds_no_secret(api: Api, redis_client: Redis) -> None:
    _player, token = api.new_player("Ana")
    api.new_game(token)
    keys = cast(list[bytes], redis_client.keys("*"))
    kept = b"".join(key + cast(bytes, redis_client.dump(key)) for key in keys)
    assert token.encode() not in kept
    assert token.removeprefix("pepper_").encode() not in kept
