"""Names in any script, emoji and right-to-left text come back as they went in, wherever shown."""

from typing import Any

import pytest

from service.wiring import Services
from tests.api.conftest import Api, body_of
from tests.api.test_games import finished_game
from tests.streaming import of_ndjson, of_sse

NAMES = [
    "Ζωή Παπαδοπούλου",
    "שלום עולם",
    "محمد رضا",
    "李小龍",
    "さくら 🌸",
    "김민수",
    "शक्ति",
    "ง่าย",
    "ታደሰ",
    "Đặng Thị Mỹ",
    "👩‍👩‍👧",
    "🏴󠁧󠁢󠁳󠁣󠁴󠁿",
    "🇨🇭🃏",
    'O\'Brien & <Söhne> "x"',
    "𓂀 𓆣",
]


def at_seat_0(shape: dict[str, Any]) -> str:
    return str(shape["seats"][0]["player"]["name"])


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_in_what_a_player_sees_of_a_game(api: Api, app_services: Services, name: str) -> None:
    app_services.dismiss()
    player, token = api.new_player(name)
    view = api.new_game(
        token, players=2, visibility="public", seats=[{"kind": "me"}, {"kind": "open"}]
    )
    api.lobby_notices(view["id"])
    path = f"/v1/games/{view['id']}"
    assert at_seat_0(view) == name
    assert at_seat_0(body_of(api.get(path))) == name
    listed = body_of(api.get("/v1/games", query_string={"player": player}))["items"]
    assert [at_seat_0(item) for item in listed] == [name]
    for kind, read in (("text/event-stream", of_sse), ("application/x-ndjson", of_ndjson)):
        lines = api.get(f"{path}/stream", headers={"Accept": kind}).get_data(as_text=True)
        assert at_seat_0(next(read(lines.splitlines())).body["view"]) == name


def test_in_what_is_told_of_a_player(api: Api, name: str) -> None:
    player, token = api.new_player(name)
    for path in ("/v1/me", f"/v1/players/{player}"):
        assert body_of(api.get(path, token=token))["name"] == name
    assert body_of(api.get("/v1/me/export", token=token))["profile"]["name"] == name
    device = {"name": name, "scopes": ["read"]}
    assert body_of(api.post("/v1/tokens", json=device, token=token), 201)
    assert name in [item["name"] for item in body_of(api.get("/v1/tokens", token=token))["items"]]


def test_in_replays(api: Api, name: str) -> None:
    tokens = [api.new_player(name)[1], api.new_player("Ben")[1]]
    path = f"/v1/games/{finished_game(api, tokens)}"
    whole = body_of(api.get(f"{path}/replay"))
    assert at_seat_0(whole) == name
    assert at_seat_0(body_of(api.get(f"{path}/replay/{len(whole['events'])}"))) == name
