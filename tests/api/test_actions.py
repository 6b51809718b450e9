"""The one door for play: every refusal, every malformed body, races, and nothing else changes."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, cast

import pytest
from redis import Redis

from events.vocabulary import GameId, PlayerId
from service.api.app import create_app
from service.game.decide import legal_actions
from service.game.position import Position
from service.game.state import seat_to_act
from service.table import ByPlayer, Table, VersionMismatch
from service.wiring import Services, services
from tests.api.conftest import Api

DEEP = b'{"type":' + b"[" * 20_000 + b"]" * 20_000 + b"}"


def duel(api: Api, target: int = 30) -> tuple[str, str, str]:
    """A game of two persons: its path, the token on turn and the other."""
    _one, one = api.new_player("One")
    _two, two = api.new_player("Two")
    seats = [{"kind": "me"}, {"kind": "open"}]
    view = api.new_game(one, players=2, seats=seats, rules={"target_score": target})
    path = f"/v1/games/{view['id']}"
    turn = api.post(f"{path}/seats", token=two).json["turn"]["seats"][0]
    return (path, one, two) if turn == 0 else (path, two, one)


def test_an_action_answers_with_the_new_view(api: Api) -> None:
    path, token, other = duel(api)
    before = api.get(path, token=token).json
    answer = api.post(f"{path}/actions", json={"type": "bid", "bid": 3}, token=token)
    assert answer.json["version"] == before["version"] + 1
    assert answer.headers["ETag"].startswith(f'"{answer.json["version"]}-')
    assert answer.json["round"]["auction"] == [{"seat": before["you"]["seat"], "call": "3"}]
    assert answer.json["you"]["legal_actions"] == []
    assert api.get(path, token=other).json["you"]["legal_actions"][0] == {"type": "pass"}


@pytest.mark.parametrize(
    ("data", "content_type", "status", "code"),
    [
        (b"", "application/json", 400, "malformed-json"),
        (b"{", "application/json", 400, "malformed-json"),
        (b"{} {}", "application/json", 400, "malformed-json"),
        (b'{"type": NaN}', "application/json", 400, "malformed-json"),
        (b'{"type": "\xff\xfe"}', "application/json", 400, "malformed-json"),
        (b"\xef\xbb\xbf{}", "application/json", 400, "malformed-json"),
        (DEEP, "application/json", 400, "malformed-json"),
        (b"x" * 70_000, "application/json", 413, "body-too-large"),
        (b'{"type":"pass"}', "text/plain", 415, "media-type-unsupported"),
        (b"type=pass", "application/x-www-form-urlencoded", 415, "media-type-unsupported"),
        (b"[]", "application/json", 422, "invalid-body"),
        (b"3", "application/json", 422, "invalid-body"),
        (b"null", "application/json", 422, "invalid-body"),
        (b"{}", "application/json", 422, "invalid-body"),
        (b'{"type": 3}', "application/json", 422, "invalid-body"),
        (b'{"type": ["pass"]}', "application/json", 422, "invalid-body"),
        (b'{"type": "resign"}', "application/json", 422, "invalid-body"),
        (b'{"type": "pass", "seat": 1}', "application/json", 422, "invalid-body"),
        (b'{"type": "bid"}', "application/json", 422, "invalid-body"),
        (b'{"type": "bid", "bid": true}', "application/json", 422, "invalid-body"),
        (b'{"type": "bid", "bid": 3.5}', "application/json", 422, "invalid-body"),
        (b'{"type": "bid", "bid": 99999999999999999999}', "application/json", 422, "invalid-body"),
        (b'{"type": "bid", "bid": null}', "application/json", 422, "invalid-body"),
        (b'{"type": "play_card", "card": "10H"}', "application/json", 422, "invalid-body"),
        (b'{"type": "play_card", "card": "js"}', "application/json", 422, "invalid-body"),
        (b'{"type": "name_trump", "trump": "hearts"}', "application/json", 422, "invalid-body"),
    ],
)
def test_bodies_that_are_no_action_change_nothing(
    api: Api, data: bytes, content_type: str, status: int, code: str
) -> None:
    path, token, _other = duel(api)
    version = api.get(path).json["version"]
    headers = {"Content-Type": content_type}
    answer = api.post(f"{path}/actions", data=data, headers=headers, token=token)
    assert (answer.status_code, answer.json["code"]) == (status, code)
    assert api.get(path).json["version"] == version


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"type": "play_card", "card": "JS"}, 409, "wrong-phase"),
        ({"type": "name_trump", "trump": "H"}, 409, "wrong-phase"),
    ],
)
def test_actions_out_of_phase(api: Api, body: dict[str, Any], status: int, code: str) -> None:
    path, token, _other = duel(api)
    answer = api.post(f"{path}/actions", json=body, token=token)
    assert (answer.status_code, answer.json["code"]) == (status, code)
    assert answer.json["legal_actions"] == api.get(path, token=token).json["you"]["legal_actions"]
    assert answer.json["turn"]["seats"]


def test_an_action_out_of_turn_and_one_that_is_sent_twice(api: Api) -> None:
    path, token, other = duel(api)
    answer = api.post(f"{path}/actions", json={"type": "pass"}, token=other)
    assert (answer.status_code, answer.json["code"]) == (409, "not-your-turn")
    assert "legal_actions" not in answer.json
    bid = {"type": "bid", "bid": "2"}
    assert api.post(f"{path}/actions", json=bid, token=token).status_code == 200
    again = api.post(f"{path}/actions", json=bid, token=token)
    assert (again.status_code, again.json["code"]) == (409, "not-your-turn")


def test_illegal_bids_and_cards(api: Api) -> None:
    path, token, other = duel(api)

    def refused(who: str, **body: Any) -> str:
        answer = api.post(f"{path}/actions", json=body, token=who)
        assert answer.status_code == 422
        return str(answer.json["code"])

    api.post(f"{path}/actions", json={"type": "bid", "bid": "4"}, token=token)
    assert refused(other, type="bid", bid="4") == "bid-too-low"
    api.post(f"{path}/actions", json={"type": "pass"}, token=other)
    assert refused(token, type="name_trump", trump="low") == "trump-not-allowed"
    api.post(f"{path}/actions", json={"type": "name_trump", "trump": "none"}, token=token)
    hand = api.get(path, token=other).json["you"]["hand"]
    own = api.get(path, token=token).json["you"]["hand"]
    assert refused(token, type="play_card", card=hand[0]) == "card-not-in-hand"
    for card in own:
        following = [held for held in hand if held[1] == card[1]]
        if following and len(following) < len(hand):
            api.post(f"{path}/actions", json={"type": "play_card", "card": card}, token=token)
            wrong = next(held for held in hand if held[1] != card[1])
            assert refused(other, type="play_card", card=wrong) == "must-follow-suit"
            return
    # No suit binds in these hands: one in thousands; play again with others.
    test_illegal_bids_and_cards(api)


def test_who_is_not_seated_learns_that_first(api: Api) -> None:
    path, _token, _other = duel(api)
    _player, stranger = api.new_player()
    for body in ({"type": "pass"}, {"type": "resign"}, {}):
        answer = api.post(f"{path}/actions", json=body, token=stranger)
        assert (answer.status_code, answer.json["code"]) == (403, "not-seated")
    _path, elsewhere, _ = duel(api)
    answer = api.post(f"{path}/actions", json={"type": "pass"}, token=elsewhere)
    assert answer.json["code"] == "not-seated"
    assert api.post(f"{path}/actions", json={"type": "pass"}).json["code"] == "token-missing"


@pytest.mark.parametrize("form", ['"{}"', 'W/"{}"', "{}", '"{}-0123abcd"', ' "{}" '])
def test_if_match_takes_every_form_of_a_version(api: Api, form: str) -> None:
    path, token, _other = duel(api)
    version = api.get(path).json["version"]
    bid = {"type": "bid", "bid": "1"}
    stale = api.post(
        f"{path}/actions", json=bid, token=token, headers={"If-Match": form.format(version - 1)}
    )
    assert (stale.status_code, stale.json["code"]) == (412, "version-mismatch")
    assert stale.json["version"] == version
    assert stale.json["legal_actions"]
    good = {"If-Match": form.format(version)}
    assert api.post(f"{path}/actions", json=bid, token=token, headers=good).status_code == 200


@pytest.mark.parametrize(
    "header", ["x", '"', '"1", "2"', "-1", "1.5", '"1"x', '"1', '1"', "W/1", "9" * 30]
)
def test_an_if_match_that_is_no_version_is_malformed(api: Api, header: str) -> None:
    path, token, _other = duel(api)
    headers = {"If-Match": header}
    answer = api.post(f"{path}/actions", json={"type": "pass"}, token=token, headers=headers)
    assert (answer.status_code, answer.json["code"]) == (400, "malformed-header")


def test_before_the_start_and_after_the_end(api: Api) -> None:
    _player, token = api.new_player()
    seats = [{"kind": "me"}, {"kind": "open"}]
    path = f"/v1/games/{api.new_game(token, players=2, seats=seats)['id']}"
    passing = {"type": "pass"}
    assert api.post(f"{path}/actions", json=passing, token=token).json["code"] == "not-started"
    api.post(f"{path}/abort", token=token)
    assert api.post(f"{path}/actions", json=passing, token=token).json["code"] == "game-over"


def test_of_two_actions_at_one_version_one_wins_a_thousand_times(
    app_services: Services, api: Api
) -> None:
    """Two processes' tables, each with its own cache, over one store."""
    tables = [services(app_services.settings).table for _process in range(2)]
    played = 0
    with ThreadPoolExecutor(2) as pool:
        while played < 1000:
            path, _token, _other = duel(api, target=1000)
            game = GameId(path.rpartition("/")[2])
            while (seat := seat_to_act((position := tables[0].look(game)).game)) is not None:
                player = position.game.setup.places[seat].player
                outcomes = pool.map(attempt, tables, [position] * 2, [player] * 2)
                assert sorted(outcomes) == ["lost", "won"]
                played += 1
                if played == 1000:
                    return


def attempt(table: Table, position: Position, player: PlayerId) -> str:
    action = legal_actions(position.game)[0]
    try:
        outcome = table.act(
            position.id, ByPlayer(player, lambda _seat: action), expected=position.version
        )
    except VersionMismatch:
        return "lost"
    return "won" if isinstance(outcome, Position) else "refused"


def test_get_head_and_options_change_nothing(
    api: Api, app_services: Services, redis_client: Redis
) -> None:
    path, token, _other = duel(api)

    def dump() -> dict[bytes, bytes]:
        keys = cast(list[bytes], redis_client.keys("*"))
        # A stream says who is online, which is no part of the game.
        lasting = [key for key in keys if b":online:" not in key]
        return {key: cast(bytes, redis_client.dump(key)) for key in lasting}

    app = create_app(app_services)
    game = path.rpartition("/")[2]
    before = dump()
    for rule in app.url_map.iter_rules():
        url = rule.rule.replace("<game_id>", game).replace("<int:seat>", "0")
        url = url.replace("<int:version>", "2").replace("<player_id>", "p_x").replace("<code>", "x")
        for method in ("GET", "HEAD", "OPTIONS"):
            answer = app.test_client().open(
                url, method=method, headers={"Authorization": f"Bearer {token}"}
            )
            assert answer.status_code < 500, (method, url)
    assert dump() == before


def test_problems_and_refusals_are_open_to_every_origin(api: Api) -> None:
    for path in ("/v1/me", "/nowhere", "/v1/games"):
        answer = api.get(path, headers={"Origin": "https://app.example"})
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert "ETag" in answer.headers["Access-Control-Expose-Headers"]


def test_a_wrong_method_says_which_are_right(api: Api) -> None:
    answer = api.put("/v1/games")
    assert (answer.status_code, answer.json["code"]) == (405, "method-not-allowed")
    assert {"GET", "POST"} <= set(answer.headers["Allow"].split(", "))


def test_an_unreachable_store_is_said_to_be(app_services: Services) -> None:
    gone = replace(app_services.settings, redis_url="unix:///nowhere/at/all.sock")
    client = create_app(services(gone)).test_client()
    answer = client.get("/v1/games")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
    assert answer.json is not None
    assert answer.json["retryable"] is True
    assert client.get("/readyz").status_code == 503
    assert client.get("/healthz").status_code == 200
