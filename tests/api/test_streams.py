"""Streams of games: what they begin with, how they are resumed, and who is turned away.

The hub is closed, so that each stream ends after its opening; what follows live is in tests/live.
"""

from random import Random
from typing import Any

import pytest

from events.vocabulary import GameId, PlayerId
from service.live.places import Places
from service.wiring import STREAMS_EACH, Services
from tests.api.conftest import Api, body_of
from tests.api.spec import faults
from tests.folding import Folded, without_names
from tests.streaming import Frame, of_ndjson, of_sse

NDJSON = {"Accept": "application/x-ndjson"}
LATER = {"type": "reconnect", "reason": "closing", "retry": 1000}


@pytest.fixture(autouse=True)
def _streams_are_short(app_services: Services) -> None:
    app_services.hub.close()


def frames_of(answer: Any) -> list[Frame]:
    """The frames of a stream, each held to openapi.yaml."""
    assert answer.status_code == 200, answer.json
    lines = answer.get_data(as_text=True).splitlines()
    answer.close()
    read = of_ndjson if answer.mimetype == NDJSON["Accept"] else of_sse
    made = list(read(lines))
    for frame in made:
        assert not faults("/components/schemas/StreamFrame", frame.body), frame
    return made


def kinds(frames: list[Frame]) -> list[tuple[str, str | None]]:
    return [(frame.type, frame.id) for frame in frames]


def events(first: int, last: int) -> list[tuple[str, str | None]]:
    return [("event", str(version)) for version in range(first, last + 1)]


class Table:
    """A game of three persons who play random legal actions; `seats` are tokens."""

    def __init__(self, api: Api, **body: Any) -> None:
        self._api, self._chance = api, Random(7)
        self.seats = [api.new_player()[1] for _seat in range(3)]
        wishes = [{"kind": "me"}, {"kind": "open"}, {"kind": "open"}]
        rules = {"target_score": 2}
        view = api.new_game(self.seats[0], players=3, seats=wishes, rules=rules, **body)
        self.path = f"/v1/games/{view['id']}"
        for seat in (1, 2):
            api.post(f"{self.path}/seats/{seat}", token=self.seats[seat])

    @property
    def viewers(self) -> list[str | None]:
        return [*self.seats, None]

    def view(self, token: str | None = None) -> dict[str, Any]:
        return body_of(self._api.get(self.path, token=token))

    def act(self) -> None:
        """Whoever is on turn acts."""
        token = self.seats[self.view()["turn"]["seats"][0]]
        action = self._chance.choice(self.view(token)["you"]["legal_actions"])
        body_of(self._api.post(f"{self.path}/actions", json=action, token=token))

    def act_until(self, version: int) -> None:
        while self.view()["version"] < version and self.view()["status"] == "in_progress":
            self.act()

    def leave_and_come_back(self, seat: int) -> None:
        """A bot plays for a seat for a while."""
        body_of(self._api.delete(f"{self.path}/seats/{seat}", token=self.seats[seat]))
        body_of(self._api.post(f"{self.path}/seats/{seat}", token=self.seats[seat]))

    def stream(self, token: str | None = None, query: str = "", **headers: str) -> list[Frame]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return frames_of(self._api.get(f"{self.path}/stream{query}", token=token, headers=named))


@pytest.fixture
def table(api: Api) -> Table:
    made = Table(api)
    made.act_until(10)
    return made


def test_a_stream_begins_with_a_snapshot_of_the_viewers_view(table: Table) -> None:
    for token in table.viewers:
        view = table.view(token)
        first, last = table.stream(token)
        assert (first.id, first.type) == (str(view["version"]), "snapshot")
        assert first.body["view"] == view
        assert (last.id, last.body) == (None, {**LATER, "game": view["id"]})


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("?after=4", {}),
        ("", {"Last_Event_ID": "4"}),
        ("?after=9", {"Last_Event_ID": "4"}),
        ("?after=4&snapshot=false", {}),
    ],
)
def test_it_goes_on_after_the_version_that_the_client_has(
    table: Table, query: str, headers: dict[str, str]
) -> None:
    version = table.view()["version"]
    assert kinds(table.stream(None, query, **headers)) == [
        *events(5, version),
        ("reconnect", None),
    ]


def test_after_0_is_the_whole_game(table: Table) -> None:
    version = table.view()["version"]
    assert kinds(table.stream(None, "?after=0"))[:-1] == events(1, version)


def test_who_has_the_last_version_is_told_nothing_again(table: Table) -> None:
    version = table.view()["version"]
    assert kinds(table.stream(None, f"?after={version}")) == [("reconnect", None)]


@pytest.mark.parametrize("after", [0, 1, 4])
def test_a_snapshot_that_is_asked_for_is_of_the_version_resumed_from(
    table: Table, after: int
) -> None:
    token, version, start = table.seats[1], table.view()["version"], max(after, 1)
    first, *rest = table.stream(token, f"?after={after}&snapshot=true")
    assert (first.id, first.type) == (str(start), "snapshot")
    body = body_of(table._api.get(f"{table.path}?version={start}", token=token))
    assert first.body["view"] == body
    assert kinds(rest)[:-1] == events(start + 1, version)


@pytest.mark.parametrize("lead", [1, 1000, 10**9 - 100])
def test_who_is_ahead_of_the_log_begins_anew(table: Table, lead: int) -> None:
    version = table.view()["version"]
    for query, headers in (
        (f"?after={version + lead}", {}),
        ("", {"Last_Event_ID": str(version + lead)}),
    ):
        reset, snapshot, _last = table.stream(None, query, **headers)
        assert (reset.type, reset.body["version"]) == ("reset", version)
        assert (snapshot.type, snapshot.id) == ("snapshot", str(version))


def test_an_ended_game_ends_its_stream_and_there_is_nothing_after_that(
    api: Api, table: Table
) -> None:
    table.act_until(10**6)
    version = table.view()["version"]
    assert kinds(table.stream()) == [("snapshot", str(version)), ("end", "end")]
    assert kinds(table.stream(None, "?after=0")) == [*events(1, version), ("end", "end")]
    assert kinds(table.stream(Last_Event_ID=str(version))) == [("end", "end")]
    for query in ("", "?after=0", "?snapshot=true"):
        answer = api.get(f"{table.path}/stream{query}", headers={"Last-Event-ID": "end"})
        assert (answer.status_code, answer.get_data()) == (204, b"")


def test_lines_of_json_say_the_same(table: Table) -> None:
    for query in ("", "?after=0", "?after=3&snapshot=true", "?after=999"):
        for token in table.viewers:
            frames = [frame.body for frame in table.stream(token, query)]
            assert [frame.body for frame in table.stream(token, query, **NDJSON)] == frames


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        (None, "text/event-stream"),
        ("*/*", "text/event-stream"),
        ("text/event-stream", "text/event-stream"),
        ("application/x-ndjson", "application/x-ndjson"),
        ("application/x-ndjson, text/event-stream;q=0.5", "application/x-ndjson"),
        ("text/event-stream, application/x-ndjson", "text/event-stream"),
    ],
)
def test_accept_chooses_the_form(api: Api, table: Table, accept: str | None, kind: str) -> None:
    headers = {} if accept is None else {"Accept": accept}
    answer = api.get(f"{table.path}/stream", headers=headers)
    assert answer.mimetype == kind


def test_no_cache_and_no_proxy_keeps_a_stream(api: Api, table: Table) -> None:
    for headers in ({}, NDJSON, {"Last-Event-ID": "end"}):
        told = api.get(f"{table.path}/stream", headers=headers).headers
        assert told["Cache-Control"] == "private, no-cache"
        assert told["Vary"] == "Authorization, Accept"
        assert told["X-Accel-Buffering"] == "no"
        assert told["Access-Control-Allow-Origin"] == "*"


def test_a_browser_is_told_when_to_come_back(api: Api, table: Table) -> None:
    assert api.get(f"{table.path}/stream").get_data().startswith(b"retry: 1000\n\n")


def test_head_opens_no_stream(api: Api, app_services: Services, table: Table) -> None:
    answer = api.ask("HEAD", f"{table.path}/stream")
    assert (answer.status_code, answer.mimetype) == (200, "text/event-stream")
    assert app_services.stream_places.taken() == app_services.hub.listeners() == 0


BAD_IDS = ["x", "-1", "1.0", "", " ", "END", "٣", "1000000000", "9" * 5000]


@pytest.mark.parametrize("bad", BAD_IDS, ids=range(len(BAD_IDS)))
def test_an_id_that_is_none_is_refused(api: Api, table: Table, bad: str) -> None:
    sent = {"Last-Event-ID": bad.encode().decode("latin-1")}
    answer = api.get(f"{table.path}/stream", headers=sent)
    assert (answer.status_code, answer.json["code"]) == (400, "malformed-header")


@pytest.mark.parametrize(
    "query",
    ["after=x", "after=-1", "after=", "after=1000000000", "snapshot=1", "presence=yes", "as=me"],
)
def test_a_query_that_is_none_is_refused(api: Api, table: Table, query: str) -> None:
    for headers in ({}, {"Last-Event-ID": "1"}, {"Last-Event-ID": "end"}):
        answer = api.get(f"{table.path}/stream?{query}", headers=headers)
        assert (answer.status_code, answer.json["code"]) == (400, "malformed-query")


def test_a_game_that_is_none_is_refused_though_its_end_is_known(api: Api) -> None:
    for method in ("GET", "HEAD"):
        for headers in ({}, {"Last-Event-ID": "end"}):
            answer = api.ask(method, "/v1/games/g_0unknown0000/stream", headers=headers)
            assert answer.status_code == 404


def test_a_bad_token_is_refused_and_holds_and_changes_nothing(
    api: Api, app_services: Services, table: Table
) -> None:
    views, stored = [table.view(token) for token in table.viewers], stored_games(app_services)
    for method in ("GET", "HEAD"):
        for ask in ("", "?after=0", "?after=x"):
            answer = api.ask(method, f"{table.path}/stream{ask}", token="pepper_nobody")
            assert answer.status_code == 401
    answer = api.get(f"{table.path}/stream", token="x", headers={"Last-Event-ID": "end"})
    assert (answer.status_code, answer.json["code"]) == (401, "token-invalid")
    assert app_services.stream_places.taken() == app_services.hub.listeners() == 0
    assert [table.view(token) for token in table.viewers] == views
    assert stored_games(app_services) == stored


def stored_games(parts: Services) -> dict[bytes, bytes | None]:
    """All that the store holds of games: logs, feeds, who waits."""
    return {key: parts.client.dump(key) for key in parts.client.scan_iter("pepper:{?}:*")}


@pytest.mark.parametrize("game", ["g_0unknowngame", "nonsense"])
def test_an_unknown_game_has_no_stream(api: Api, app_services: Services, game: str) -> None:
    for method in ("GET", "HEAD"):
        assert api.ask(method, f"/v1/games/{game}/stream").status_code == 404
    assert app_services.stream_places.taken() == app_services.hub.listeners() == 0


def test_a_token_without_the_scope_reads_no_stream(api: Api, table: Table) -> None:
    body = {"name": "play only", "scopes": ["play"]}
    token = body_of(api.post("/v1/tokens", json=body, token=table.seats[0]), 201)["token"]
    answer = api.get(f"{table.path}/stream", token=token)
    assert (answer.status_code, answer.json["code"]) == (403, "scope-missing")


def test_one_token_holds_so_many_streams_and_another_some_more(
    api: Api, app_services: Services, table: Table
) -> None:
    mine = body_of(api.get("/v1/tokens", token=table.seats[0]))["items"][0]["id"]
    for _ in range(STREAMS_EACH):
        app_services.stream_places.take(mine)
    refused = api.get(f"{table.path}/stream", token=table.seats[0])
    assert (refused.status_code, refused.json["code"]) == (429, "too-many-streams")
    assert refused.headers["Retry-After"]
    assert table.stream(table.seats[1])
    assert table.stream()
    app_services.stream_places.leave(mine)
    assert table.stream(table.seats[0])


def test_a_full_process_takes_no_more(api: Api, app_services: Services, table: Table) -> None:
    fill(app_services.stream_places)
    for token in table.viewers:
        refused = api.get(f"{table.path}/stream", token=token)
        assert (refused.status_code, refused.json["code"]) == (503, "streams-full")
        assert refused.headers["Retry-After"]


def fill(places: Places) -> None:
    while places.taken() < places.total:
        places.take(None)


def test_a_stream_that_has_ended_holds_nothing(app_services: Services, table: Table) -> None:
    for token in table.viewers:
        table.stream(token, "?after=0")
    assert app_services.stream_places.taken() == app_services.hub.listeners() == 0


def test_a_seated_player_may_watch_as_a_spectator(table: Table) -> None:
    for query in ("?after=0", "?after=3&snapshot=true"):
        seen = [table.stream(token, f"{query}&as=spectator") for token in table.seats]
        assert seen == [table.stream(None, query)] * 3
        assert all(not frame.body.get("you") for frame in seen[0])


def test_every_frame_is_the_view_of_its_version_from_wherever_it_is_resumed(
    api: Api, table: Table
) -> None:
    table.leave_and_come_back(1)
    table.act_until(30)
    table.leave_and_come_back(0)
    _check_every_suffix(api, table)
    table.act_until(10**6)
    _check_every_suffix(api, table)


def _check_every_suffix(api: Api, table: Table) -> None:
    for token in table.viewers:
        whole, folded = table.stream(token, "?after=0"), Folded()
        for frame in whole[:-1]:
            address = f"{table.path}?version={frame.id}"
            view = body_of(api.get(address, token=token))
            assert folded.take(frame.body) == without_names(view)
            assert frame.body["view_hash"] == view["view_hash"]
            assert (frame.body["you"], frame.body["turn"]) == (view["you"], view["turn"])
        for after in range(0, len(whole), 3):
            assert table.stream(token, Last_Event_ID=str(after)) == whole[after:]


def test_a_stream_that_asks_is_told_who_listens_and_keeps_its_place(
    app_services: Services, table: Table
) -> None:
    game = GameId(table.view()["id"])
    app_services.presence.mark(game, PlayerId(table.view()["seats"][2]["player"]["id"]), "phone")
    listened = {table.seats[0]: [0, 2], table.seats[2]: [2], None: [2]}
    for token, online in listened.items():
        asks = table.stream(token, "?after=5&presence=true")
        assert (asks[0].id, asks[0].type) == (None, "presence")
        assert asks[0].body["online"] == online
        assert asks[1:] == table.stream(token, "?after=5&presence=false")
        lines = table.stream(token, "?after=5&presence=true", **NDJSON)
        assert [frame.body for frame in lines] == [frame.body for frame in asks]


def test_a_spectating_player_is_not_listed(table: Table) -> None:
    for query in ("?presence=true&as=spectator", "?presence=true&as=spectator&after=0"):
        assert table.stream(table.seats[0], query)[0].body["online"] == []
    assert table.stream(None, "?presence=true")[0].body["online"] == []
