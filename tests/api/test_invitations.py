"""GET /v1/me/invitations: seats kept for the caller, and for no longer than they are."""

from typing import Any

import pytest

from events.redis_store import log_key
from events.vocabulary import GameId
from service.wiring import Services
from tests.api.conftest import Api, body_of

PATH = "/v1/me/invitations"
SEATS = [{"kind": "me"}, {"kind": "open"}, {"kind": "open"}]


class Host:
    """A player who invites."""

    def __init__(self, api: Api, name: str = "Ana") -> None:
        self._api = api
        self.id, self.token = api.new_player(name)

    def invites(self, guest: str, seat: int = 1, game: str | None = None) -> str:
        """Keep a seat of a game, a new one if need be, for a player; the game."""
        game = game or str(self._api.new_game(self.token, players=3, seats=SEATS)["id"])
        path = f"/v1/games/{game}/seats/{seat}/invite"
        body_of(self._api.put(path, json={"player": guest}, token=self.token))
        self._api.inbox_notices()
        return game


@pytest.fixture
def host(api: Api) -> Host:
    return Host(api)


@pytest.fixture
def guest(api: Api) -> tuple[str, str]:
    return api.new_player("Bob")


def invitations(api: Api, token: str, query: str = "") -> dict[str, Any]:
    return body_of(api.get(PATH + query, token=token))


def games(api: Api, token: str) -> list[str]:
    return [item["game"] for item in invitations(api, token)["items"]]


def test_an_invitation_says_who_where_and_until_when(
    api: Api, host: Host, guest: tuple[str, str]
) -> None:
    player, token = guest
    game = host.invites(player)
    host.invites(player, 2, game)
    (item,) = invitations(api, token)["items"]
    view = body_of(api.get(f"/v1/games/{game}"))
    assert (item["game"], item["version"], item["seats"]) == (game, view["version"], [1, 2])
    assert item["by"] == {"id": host.id, "name": "Ana", "bot": False}
    assert item["until"] > view["updated_at"]
    assert item["rematch_of"] is None
    assert item["summary"]["seats"][0]["player"]["name"] == "Ana"
    assert games(api, host.token) == []


def test_a_game_made_with_an_invitation_is_one_too(
    api: Api, host: Host, guest: tuple[str, str]
) -> None:
    player, token = guest
    seats = [{"kind": "me"}, {"kind": "player", "player": player}]
    game = api.new_game(host.token, players=2, seats=seats)
    api.inbox_notices()
    assert games(api, token) == [game["id"]]


@pytest.mark.parametrize("end", ["taken", "taken back", "another", "a bot", "aborted"])
@pytest.mark.parametrize("is_followed", [True, False])
def test_it_is_over_when_the_seat_is_kept_no_more(
    api: Api, host: Host, guest: tuple[str, str], end: str, *, is_followed: bool
) -> None:
    player, token = guest
    game = host.invites(player)
    path = f"/v1/games/{game}"
    other, _token = api.new_player()
    ends = {
        "taken": lambda: api.post(f"{path}/seats", token=token),
        "taken back": lambda: api.delete(f"{path}/seats/1", token=host.token),
        "another": lambda: api.put(
            f"{path}/seats/1/invite", json={"player": other}, token=host.token
        ),
        "a bot": lambda: api.put(f"{path}/seats/1/bot", json={"level": "club"}, token=host.token),
        "aborted": lambda: api.post(f"{path}/abort", token=host.token),
    }
    body_of(ends[end]())
    if is_followed:
        api.inbox_notices()
    assert games(api, token) == []


def test_it_is_over_with_its_time(
    api: Api, host: Host, guest: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    player, token = guest
    monkeypatch.setattr("service.api.seats.INVITED_FOR", -1)
    host.invites(player)
    assert games(api, token) == []


def test_being_invited_again_lists_it_once(api: Api, host: Host, guest: tuple[str, str]) -> None:
    player, token = guest
    game = host.invites(player)
    for _ in range(3):
        host.invites(player, 1, game)
    assert games(api, token) == [game]


def test_a_rematch_is_an_invitation(api: Api, host: Host, guest: tuple[str, str]) -> None:
    player, token = guest
    seats = [{"kind": "me"}, {"kind": "player", "player": player}]
    game = api.new_game(host.token, players=2, seats=seats, rules={"target_score": 3})
    tokens = [host.token, token]
    view = body_of(api.post(f"/v1/games/{game['id']}/seats", token=token))
    while view["status"] == "in_progress":
        on_turn = tokens[view["turn"]["seats"][0]]
        view = body_of(api.get(f"/v1/games/{game['id']}", token=on_turn))
        body = view["you"]["legal_actions"][0]
        view = body_of(api.post(f"/v1/games/{game['id']}/actions", json=body, token=on_turn))
    rematch = body_of(api.post(f"/v1/games/{game['id']}/rematch", token=host.token), 201)
    api.inbox_notices()
    (item,) = invitations(api, token)["items"]
    assert (item["game"], item["rematch_of"]) == (rematch["id"], game["id"])


def test_pages_hold_each_invitation_once_the_latest_first(
    api: Api, host: Host, guest: tuple[str, str]
) -> None:
    player, token = guest
    invited = [host.invites(player) for _ in range(7)]
    read, query = [], "?limit=3"
    while query:
        page = invitations(api, token, query)
        assert len(page["items"]) <= 3
        read += page["items"]
        query = f"?limit=3&cursor={page['next']}" if page["next"] else ""
    assert sorted(item["game"] for item in read) == sorted(invited)
    untils = [item["until"] for item in read]
    assert untils == sorted(untils, reverse=True)


@pytest.mark.parametrize(
    "query", ["cursor=x", "cursor=", "cursor=MQ==", "cursor=" + "A" * 4000, "limit=0", "limit=101"]
)
def test_a_page_that_is_none_is_refused(api: Api, guest: tuple[str, str], query: str) -> None:
    answer = api.get(f"{PATH}?{query}", token=guest[1])
    assert (answer.status_code, answer.json["code"]) == (400, "malformed-query")


def test_it_needs_a_token_that_may_read(api: Api, guest: tuple[str, str]) -> None:
    assert api.get(PATH).json["code"] == "token-missing"
    assert api.get(PATH, token="pepper_bad").json["code"] == "token-invalid"
    made = api.post("/v1/tokens", json={"name": "x", "scopes": ["play"]}, token=guest[1])
    less = body_of(made, 201)["token"]
    assert api.get(PATH, token=less).json["code"] == "scope-missing"


def test_a_game_that_cannot_be_read_hides_no_other(
    api: Api, app_services: Services, host: Host, guest: tuple[str, str]
) -> None:
    player, token = guest
    lost, game = host.invites(player), host.invites(player)
    app_services.client.delete(log_key(GameId(lost)))
    assert games(api, token) == [game]
