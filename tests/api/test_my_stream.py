"""A player's own stream: what it begins with, how it is resumed, and who is turned away.

The bells are closed, so that each stream ends after its opening; what follows live is in
tests/live.
"""

import json
from typing import Any, cast

import pytest

from events.redis_store import log_key
from events.vocabulary import GameId
from service.api import streaming
from service.api.app import create_app
from service.projections import inbox
from service.wiring import STREAMS_EACH, Services
from tests.api.conftest import Api, body_of
from tests.api.spec import faults
from tests.api.test_streams import NDJSON, fill
from tests.streaming import Frame, of_ndjson, of_sse

PATH = "/v1/me/stream"
LATER = ("reconnect", None)


@pytest.fixture(autouse=True)
def _streams_are_short(app_services: Services) -> None:
    app_services.bells.close()


class Player:
    """A player who listens."""

    def __init__(self, api: Api, name: str) -> None:
        self._api = api
        self.id, self.token = api.new_player(name)

    def stream(self, query: str = "", **headers: str) -> list[Frame]:
        """The frames of an opening, each held to openapi.yaml."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = self._api.get(f"{PATH}{query}", token=self.token, headers=named)
        assert answer.status_code == 200, answer.json
        lines = answer.get_data(as_text=True).splitlines()
        answer.close()
        made = list((of_ndjson if answer.mimetype == NDJSON["Accept"] else of_sse)(lines))
        for frame in made:
            assert not faults("/components/schemas/MyStreamFrame", frame.body), frame
        return made

    def snapshot(self) -> dict[str, Any]:
        first, _last = self.stream()
        assert (first.type, first.id) == ("snapshot", first.body["id"])
        return first.body

    def heard(self, after: str = inbox.NOTHING) -> list[tuple[str, str]]:
        """Topic and game of every notice after one."""
        frames = self.stream(Last_Event_ID=after)[:-1]
        return [(frame.body["topic"], frame.body["game"]) for frame in frames]


@pytest.fixture
def ana(api: Api) -> Player:
    return Player(api, "Ana")


@pytest.fixture
def ben(api: Api) -> Player:
    return Player(api, "Ben")


def new_game(api: Api, host: Player, *seats: dict[str, Any], **body: Any) -> str:
    wishes = [{"kind": "me"}, *(seats or [{"kind": "open"}])]
    game = api.new_game(host.token, players=len(wishes), seats=wishes, **body)
    api.inbox_notices()
    api.lobby_notices(game["id"])
    return str(game["id"])


def sit(api: Api, game: str, player: Player) -> None:
    body_of(api.post(f"/v1/games/{game}/seats", token=player.token))
    api.inbox_notices()


def kinds(frames: list[Frame]) -> list[tuple[str, str | None]]:
    return [(frame.type, frame.id) for frame in frames]


def test_it_begins_with_unfinished_games_and_invitations(
    api: Api, ana: Player, ben: Player
) -> None:
    assert ben.snapshot() == {"type": "snapshot", "id": "0-0", "games": [], "invitations": []}
    invited = new_game(api, ana, {"kind": "player", "player": ben.id})
    aborted, running, opened = new_game(api, ben), new_game(api, ben), new_game(api, ben)
    body_of(api.post(f"/v1/games/{aborted}/abort", token=ben.token))
    sit(api, running, ana)
    body = ben.snapshot()
    assert [game["id"] for game in body["games"]] == [opened, running]
    assert [item["game"] for item in body["invitations"]] == [invited]
    assert body["invitations"][0]["by"]["name"] == "Ana"
    seats = body["games"][1]["seats"]
    assert [seat["player"]["name"] for seat in seats] == ["Ben", "Ana"]


def test_a_snapshot_is_what_the_logs_say_though_the_lists_are_behind(
    api: Api, ana: Player, ben: Player
) -> None:
    game = new_game(api, ana)
    sit(api, game, ben)
    view = body_of(api.get(f"/v1/games/{game}"))
    (shown,) = ana.snapshot()["games"]
    assert (shown["version"], shown["turn"]) == (view["version"], view["turn"])


def test_what_happens_to_a_players_games_is_told_in_order(
    api: Api, ana: Player, ben: Player
) -> None:
    game = new_game(api, ana, {"kind": "player", "player": ben.id}, {"kind": "open"})
    sit(api, game, ben)
    cleo = Player(api, "Cleo")
    sit(api, game, cleo)
    body_of(api.post(f"/v1/games/{game}/abort", token=ana.token))
    api.inbox_notices()
    heard = {
        player: [topic for topic, of in player.heard() if of == game and topic != "your_turn"]
        for player in (ana, ben, cleo)
    }
    assert heard[ana] == ["seat_taken", "seat_taken", "started", "finished"]
    assert heard[ben] == ["invited", "seat_taken", "started", "finished"]
    assert heard[cleo] == ["started", "finished"]
    assert sum(("your_turn", game) in player.heard() for player in heard) == 1


def test_no_frame_has_a_card_in_it(api: Api, ana: Player, ben: Player) -> None:
    game = new_game(api, ana)
    sit(api, game, ben)
    hands = [
        card
        for player in (ana, ben)
        for card in body_of(api.get(f"/v1/games/{game}", token=player.token))["you"]["hand"]
    ]
    said = json.dumps([frame.body for frame in ana.stream() + ana.stream("?after=0-0")])
    assert not any(f'"{card}"' in said for card in hands)


def test_it_goes_on_after_the_notice_that_the_client_has(
    api: Api, ana: Player, ben: Player
) -> None:
    for _ in range(3):
        sit(api, new_game(api, ana), ben)
    whole = ana.stream("?after=0-0")
    assert len(whole) > 6
    ids = [cast(str, frame.id) for frame in whole[:-1]]
    assert [inbox.order(each) for each in ids] == sorted({inbox.order(each) for each in ids})
    for place, notice in enumerate(ids, 1):
        assert ana.stream(Last_Event_ID=notice) == whole[place:]
        assert ana.stream(f"?after={notice}") == whole[place:]
        assert ana.stream("?after=0-0", Last_Event_ID=notice) == whole[place:]
    assert ana.stream(Last_Event_ID=str(ana.snapshot()["id"])) == whole[-1:]


@pytest.mark.parametrize("known", ["1-1", "9" * 18 + "-0", "9" * 18 + "-" + "9" * 18])
def test_an_id_that_is_not_kept_begins_anew(api: Api, ana: Player, ben: Player, known: str) -> None:
    sit(api, new_game(api, ana), ben)
    for query, headers in ((f"?after={known}", {}), ("", {"Last_Event_ID": known})):
        reset, snapshot, last = ana.stream(query, **headers)
        assert (reset.type, reset.id, last.type) == ("reset", None, "reconnect")
        assert snapshot.body == ana.snapshot()


def test_lines_of_json_say_the_same(api: Api, ana: Player, ben: Player) -> None:
    sit(api, new_game(api, ana), ben)
    for query in ("", "?after=0-0", "?after=5-5"):
        frames = [frame.body for frame in ana.stream(query)]
        assert [frame.body for frame in ana.stream(query, **NDJSON)] == frames


def test_its_headers_are_those_of_a_stream(api: Api, ana: Player) -> None:
    for method in ("GET", "HEAD"):
        answer = api.ask(method, PATH, token=ana.token)
        assert (answer.status_code, answer.mimetype) == (200, "text/event-stream")
        assert answer.headers["Cache-Control"] == "private, no-cache"
        assert answer.headers["Vary"] == "Authorization, Accept"
        assert answer.headers["X-Accel-Buffering"] == "no"
    assert api.get(PATH, token=ana.token).get_data().startswith(b"retry: 1000\n\n")


BAD_IDS = ["x", "57", "end", "-1", "1-", "1-x", "", "٣-٣", "9" * 5000 + "-0"]


@pytest.mark.parametrize("bad", BAD_IDS, ids=range(len(BAD_IDS)))
def test_an_id_that_is_none_is_refused(api: Api, ana: Player, bad: str) -> None:
    sent = {"Last-Event-ID": bad.encode().decode("latin-1")}
    answer = api.get(PATH, token=ana.token, headers=sent)
    assert (answer.status_code, answer.json["code"]) == (400, "malformed-header")
    answer = api.get(PATH, token=ana.token, query_string={"after": bad})
    assert (answer.status_code, answer.json["code"]) == (400, "malformed-query")


def test_it_needs_a_token_that_may_read(api: Api, app_services: Services, ana: Player) -> None:
    body = {"name": "play only", "scopes": ["play"]}
    less = body_of(api.post("/v1/tokens", json=body, token=ana.token), 201)["token"]
    for token, code in ((None, "token-missing"), ("x", "token-invalid"), (less, "scope-missing")):
        assert api.get(PATH, token=token).json["code"] == code
    assert app_services.stream_places.taken() == app_services.bells.listeners() == 0


def test_it_takes_a_place_as_a_games_stream_does(
    api: Api, app_services: Services, ana: Player, ben: Player
) -> None:
    mine = body_of(api.get("/v1/tokens", token=ana.token))["items"][0]["id"]
    for _ in range(STREAMS_EACH):
        app_services.stream_places.take(mine)
    refused = api.get(PATH, token=ana.token)
    assert (refused.status_code, refused.json["code"]) == (429, "too-many-streams")
    assert ben.stream()
    fill(app_services.stream_places)
    refused = api.get(PATH, token=ben.token)
    assert (refused.status_code, refused.json["code"]) == (503, "streams-full")
    assert refused.headers["Retry-After"]


def test_a_stream_that_has_ended_holds_nothing(app_services: Services, ana: Player) -> None:
    for query in ("", "?after=0-0", "?after=1-1"):
        ana.stream(query)
    assert app_services.stream_places.taken() == app_services.bells.listeners() == 0


def test_a_game_that_cannot_be_read_hides_no_other(
    api: Api, app_services: Services, ana: Player
) -> None:
    lost, game = new_game(api, ana), new_game(api, ana)
    app_services.client.delete(log_key(GameId(lost)))
    assert [game["id"] for game in ana.snapshot()["games"]] == [game]


def test_it_ends_when_its_token_is_revoked(
    api: Api, app_services: Services, ana: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "KEEP_ALIVE", 0.05)
    monkeypatch.setattr(app_services.bells, "_is_closed", False)
    headers = {**NDJSON, "Authorization": f"Bearer {ana.token}"}
    lines = iter(create_app(app_services).test_client().get(PATH, headers=headers).response)
    next(lines)
    api.delete(f"/v1/me?confirm={ana.id}", token=ana.token)
    last = json.loads(cast(bytes, [*lines][-1]))
    assert (last["type"], last["reason"]) == ("reconnect", "token-invalid")
