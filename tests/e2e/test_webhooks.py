"""Webhooks of the whole service: a player hears of their turns and of their game's end."""

from collections.abc import Iterator

import pytest

from tests.e2e.running import Running, eventually, service
from tests.webhooks.receiver import in_turn, receiver, says


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    monkeypatch.setenv("PEPPER_WEBHOOKS_LOOPBACK", "on")
    with service() as started:
        yield started


def test_a_game_is_played_by_what_the_webhook_is_told(own: Running) -> None:
    token = own.join("Host")
    with receiver(in_turn(says(503), says(204))) as mine:
        wish = {"url": mine.url(), "events": ["turn", "game_started", "game_finished"]}
        status, hook = own.ask("POST", "/v1/webhooks", wish, token)
        assert status == 201, hook
        body = {"players": 2, "rules": {"target_score": 1}}
        path = f"/v1/games/{own.ask('POST', '/v1/games', body, token)[1]['id']}"

        def has_ended() -> bool:
            bodies = mine.bodies(hook["secret"])
            turns = [told["version"] for told in bodies if told["type"] == "turn"]
            view = own.ask("GET", path, token=token)[1]
            if turns and view["version"] == turns[-1]:
                own.ask("POST", f"{path}/actions", view["you"]["legal_actions"][0], token)
            return any(told["type"] == "game_finished" for told in bodies)

        eventually(has_ended, "the game's end")
        told = mine.bodies(hook["secret"])[1:]
        assert [each["version"] for each in told] == sorted(each["version"] for each in told)
        assert told[0]["type"] == "game_started"
        assert told[-1]["version"] == own.ask("GET", path)[1]["version"]
        ids = [came.headers["webhook-id"] for came in mine.came]
        assert ids[0] == ids[1]
        assert len(ids) == len(set(ids)) + 1
        shown = own.ask("GET", f"/v1/webhooks/{hook['id']}", token=token)[1]
        assert shown["last_delivery"]["outcome"] == "delivered"


def test_a_test_is_delivered(own: Running) -> None:
    token = own.join("Host")
    with receiver(says(200)) as mine:
        wish = {"url": mine.url(), "events": ["invited"]}
        hook = own.ask("POST", "/v1/webhooks", wish, token)[1]
        assert own.ask("POST", f"/v1/webhooks/{hook['id']}/test", token=token)[0] == 202
        eventually(lambda: bool(mine.came), "the test")
        (told,) = mine.bodies(hook["secret"])
        assert told["type"] == "test"
