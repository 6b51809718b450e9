"""What one web process counts and shows; every label has few values."""

from prometheus_client.parser import text_string_to_metric_families

from events.feed import Feed
from events.vocabulary import GameId, PlayerId
from service.game.commands import TakeSeat
from service.wiring import Services, services
from tests.api.conftest import Api

LABELS = {
    "method", "route", "status", "le", "cause", "server", "follower", "queue", "outcome",
    "implementation", "major", "minor", "patchlevel", "version", "generation",
}  # fmt: skip


def sample(api: Api, name: str, **labels: str) -> float:
    """The value of one sample; 0 while there is none."""
    for family in text_string_to_metric_families(api.get("/metrics").text):
        for each in family.samples:
            if each.name == name and labels.items() <= each.labels.items():
                return each.value
    return 0.0


def test_a_request_is_counted_by_its_rule(api: Api) -> None:
    asked = {"method": "GET", "route": "/v1/games/<game_id>", "status": "404"}
    before = sample(api, "pepper_requests_total", **asked)
    for game in ("one", "two"):
        api.get(f"/v1/games/{game}")
    assert sample(api, "pepper_requests_total", **asked) == before + 2


def test_appends_are_counted_by_who_caused_them(api: Api) -> None:
    before = sample(api, "pepper_appends_total", cause="player")
    api.new_game(api.new_player()[1])
    assert sample(api, "pepper_appends_total", cause="player") == before + 1


def test_a_bots_turns_are_timed(api: Api) -> None:
    turns = sample(api, "pepper_bot_turn_seconds_count")
    appends = sample(api, "pepper_appends_total", cause="bot")
    view = api.new_game(api.new_player()[1], seats=[{"kind": "bot"}] * 4)
    api.bots_play(view["id"])
    appended = sample(api, "pepper_appends_total", cause="bot") - appends
    assert sample(api, "pepper_bot_turn_seconds_count") - turns == appended > 20


def test_an_append_that_came_too_late_is_a_conflict(api: Api, app_services: Services) -> None:
    host, (second, _token), third = api.new_player()[1], api.new_player(), api.new_player()[1]
    seats = [{"kind": "me"}, {"kind": "open"}, {"kind": "open"}]
    game = GameId(api.new_game(host, players=3, seats=seats)["id"])
    elsewhere = services(app_services.settings).table
    elsewhere.act(game, TakeSeat(PlayerId(second), None, is_bot=False, now=elsewhere.now()))
    before = sample(api, "pepper_append_conflicts_total")
    assert api.post(f"/v1/games/{game}/seats", json={}, token=third).status_code == 200
    assert sample(api, "pepper_append_conflicts_total") == before + 1


def test_a_follower_is_shown_with_its_lag(api: Api, app_services: Services) -> None:
    client = app_services.client
    Feed(client, client, "bots", "me").take(0)
    assert sample(api, "pepper_feed_shards_followed", follower="bots") == 16
    api.new_game(api.new_player()[1])
    assert sample(api, "pepper_feed_lag_seconds", follower="bots") >= 0


def test_open_streams_and_waits_are_shown(api: Api, app_services: Services) -> None:
    for places, name in (
        (app_services.stream_places, "pepper_streams_open"),
        (app_services.wait_places, "pepper_waits_open"),
    ):
        before = sample(api, name)
        places.take("one")
        places.take(None)
        assert sample(api, name) == before + 2
        places.leave("one")
        places.leave(None)
        assert sample(api, name) == before


def test_no_label_names_a_game_or_a_player(api: Api) -> None:
    player, token = api.new_player()
    view = api.new_game(token)
    api.get(f"/v1/games/{view['id']}", token=token)
    api.ask("PROPFIND", f"/{token}")
    text = api.get("/metrics").text
    families = text_string_to_metric_families(text)
    assert {label for family in families for each in family.samples for label in each.labels} <= (
        LABELS
    )
    assert not any(word in text for word in (player, token, view["id"], "PROPFIND"))
