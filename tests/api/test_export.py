"""The export over HTTP: everything of the player, no secret, nothing of anybody else's."""

from typing import Any

import pytest

from service.projections import lobby
from tests.api.conftest import Api, body_of


def export(api: Api, token: str) -> dict[str, Any]:
    return body_of(api.get("/v1/me/export", token=token))


def test_a_new_player_has_little(api: Api) -> None:
    player, token = api.new_player("Ana")
    kept = export(api, token)
    assert kept["profile"] == api.get("/v1/me", token=token).json
    assert kept["profile"]["id"] == player
    assert [len(kept[part]) for part in ("tokens", "notices", "webhooks", "games")] == [1, 0, 0, 0]
    assert kept["recovery_code"] is None


def test_everything_is_in_it_but_secrets(api: Api) -> None:
    _player, token = api.new_player("Ana")
    hook = {"url": "https://example.org/pepper", "events": ["turn"]}
    secret = body_of(api.post("/v1/webhooks", json=hook, token=token), 201)["secret"]
    code = api.post("/v1/me/recovery-code", token=token).json["code"]
    link = api.post("/v1/me/link-code", token=token).json["code"]
    game = api.new_game(token)["id"]
    api.lobby_notices(game)
    api.inbox_notices()
    answer = api.get("/v1/me/export", token=token)
    kept = body_of(answer)
    assert kept["webhooks"] == api.get("/v1/webhooks", token=token).json["items"]
    assert ("started", game) in [(each["topic"], each["game"]) for each in kept["notices"]]
    assert kept["recovery_code"].keys() == {"created_at"}
    assert kept["games"] == api.get("/v1/games?player=me", token=token).json["items"]
    assert kept["games"][0]["seats"][0]["player"]["name"] == "Ana"
    for hidden in (token, secret, code, link):
        assert hidden not in answer.text
    assert answer.headers["Cache-Control"] == "no-store"


def test_many_games_come_whole_and_each_once(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "BATCH", 3)
    (_ana, hers), (_ben, his) = api.new_player("Ana"), api.new_player("Ben")
    mine = [api.new_game(hers)["id"] for _game in range(10)]
    api.lobby_notices(*mine, api.new_game(his)["id"])
    kept = export(api, hers)
    assert sorted(game["id"] for game in kept["games"]) == sorted(mine)
    times = [game["created_at"] for game in kept["games"]]
    assert times == sorted(times, reverse=True)


def test_a_game_whose_seat_was_left_is_in_it(api: Api) -> None:
    (_ana, hers), (_ben, his) = api.new_player("Ana"), api.new_player("Ben")
    seats = [{"kind": "me"}, {"kind": "open"}, {"kind": "open"}]
    game = api.new_game(hers, players=3, seats=seats)["id"]
    api.post(f"/v1/games/{game}/seats/1", token=his)
    api.lobby_notices(game)
    api.delete(f"/v1/games/{game}/seats/1", token=his)
    api.lobby_notices(game)
    assert [kept["id"] for kept in export(api, his)["games"]] == [game]


def test_only_the_scope_account_may_have_it(api: Api) -> None:
    _player, first = api.new_player()
    body = {"name": "Less", "scopes": ["read", "play", "webhooks"]}
    less = api.post("/v1/tokens", json=body, token=first).json["token"]
    assert api.get("/v1/me/export", token=less).json["code"] == "scope-missing"
    assert api.get("/v1/me/export").json["code"] == "token-missing"
