"""Events as pages, whole games, views at any version."""

from typing import Any

import pytest

from tests.api.conftest import Api
from tests.api.test_games import finished_game


def test_events_are_pages_of_frames(api: Api) -> None:
    _player, token = api.new_player()
    view = api.new_game(token)
    path = f"/v1/games/{view['id']}"
    api.bots_play(view["id"])
    whole = api.get(f"{path}/events", token=token).json
    assert [frame["version"] for frame in whole["items"]] == list(range(1, whole["version"] + 1))
    page = api.get(f"{path}/events?after=2&limit=3", token=token).json
    assert page["items"] == whole["items"][2:5]
    assert page["next"] == "5"
    last = api.get(f"{path}/events?after={whole['version']}", token=token).json
    assert (last["items"], last["next"]) == ([], None)
    assert api.get(f"{path}/events?after=9999", token=token).json["items"] == []
    for query in ("after=-1", "after=x", "limit=0", "limit=101"):
        assert api.get(f"{path}/events?{query}").json["code"] == "malformed-query"


def test_every_frame_has_the_hash_of_the_view_at_its_version(api: Api) -> None:
    _player, token = api.new_player()
    view = api.new_game(token)
    path = f"/v1/games/{view['id']}"
    api.bots_play(view["id"])
    for who in (token, None):
        for frame in api.get(f"{path}/events", token=who).json["items"]:
            then = api.get(f"{path}?version={frame['version']}", token=who).json
            assert frame["view_hash"] == then["view_hash"]
            assert (frame["you"], frame["turn"]) == (then["you"], then["turn"])


def test_a_frame_says_what_followed(api: Api) -> None:
    tokens = [api.new_player()[1] for _seat in range(2)]
    game = finished_game(api, tokens)
    path = f"/v1/games/{game}"
    frames: list[dict[str, Any]] = []
    while len(frames) == 0 or frames[-1]["outcome"].get("game") is None:
        frames += api.get(f"{path}/events?after={len(frames)}").json["items"]
    tricks = [frame for frame in frames if "trick" in frame["outcome"]]
    rounds = [frame for frame in frames if "round" in frame["outcome"]]
    final = api.get(path).json
    assert len(tricks) == 8 * len(rounds)
    assert frames[-1]["outcome"]["game"] == {
        "status": "finished",
        "scores": final["scores"],
        "winners": final["winners"],
        "seed": final["fairness"]["seed"],
    }
    assert frames[-1]["version"] == final["version"]
    assert frames[-1]["log_hash"] == api.get(f"{path}/replay").json["log_hash"]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_an_ended_game_replays_whole(api: Api, players: int) -> None:
    tokens = [api.new_player()[1] for _seat in range(players)]
    game = finished_game(api, tokens, target=3)
    path = f"/v1/games/{game}"
    answer = api.get(f"{path}/replay")
    replay = answer.json
    assert answer.headers["Cache-Control"] == "private, max-age=60"
    for played in replay["rounds"]:
        cards = [card for hand in played["hands"] for card in hand] + (played["dead_hand"] or [])
        assert len(set(cards)) == 24
        assert (played["dead_hand"] is None) == (players != 2)
        on_table = [play["card"] for trick in played["tricks"] for play in trick["plays"]]
        assert sorted(on_table) == sorted(card for hand in played["hands"] for card in hand)
    assert replay["rounds"][-1]["scores"] == replay["scores"] == api.get(path).json["scores"]
    one = api.get(f"{path}/replay?seat=1").json
    assert all(
        [hand is not None for hand in played["hands"]] == [seat == 1 for seat in range(players)]
        for played in one["rounds"]
    )
    assert api.get(f"{path}/rounds").json["items"] == replay["rounds"]
    assert api.get(f"{path}/replay?seat={players}").json["code"] == "malformed-query"


def test_an_ended_game_is_shown_at_any_version_by_any_seat(api: Api) -> None:
    tokens = [api.new_player()[1] for _seat in range(2)]
    game = finished_game(api, tokens)
    path = f"/v1/games/{game}/replay"
    seen = api.get(f"{path}/10?seat=1").json
    assert seen == api.get(f"/v1/games/{game}?version=10", token=tokens[1]).json
    everything = api.get(f"{path}/10").json
    assert everything == api.get(f"{path}/10?seat=all").json
    assert everything["hands"][1] == seen["you"]["hand"]
    assert len(everything["dead_hand"]) == 8
    last = api.get(f"/v1/games/{game}").json["version"]
    assert api.get(f"{path}/{last + 1}").json["code"] == "version-unknown"
    assert api.get(f"{path}/0").json["code"] == "version-unknown"


def test_a_running_game_shows_only_ones_own_seat(api: Api) -> None:
    _player, token = api.new_player()
    view = api.new_game(token)
    path = f"/v1/games/{view['id']}"
    replay = api.get(f"{path}/replay", token=token).json
    assert replay["rounds"][0]["hands"] == [view["you"]["hand"], None, None, None]
    assert replay["fairness"]["seed"] is None
    assert api.get(f"{path}/replay").json["rounds"][0]["hands"] == [None] * 4
    version = view["version"]
    own = api.get(f"{path}/replay/{version}", token=token).json
    assert own == api.get(f"{path}/replay/{version}?seat=0", token=token).json == view
    for query, who in (
        ("?seat=1", token),
        ("?seat=all", token),
        ("?seat=0", None),
        ("", None),
        ("?seat=0&as=spectator", token),
    ):
        answer = api.get(f"{path}/replay/{version}{query}", token=who)
        assert (answer.status_code, answer.json["code"]) == (403, "hidden-until-finished"), query
    refused = api.get(f"{path}/replay?seat=1", token=token)
    assert refused.json["code"] == "hidden-until-finished"
    assert api.get(f"{path}/rounds").json["items"][0]["hands"] == [None] * 4


def test_an_aborted_game_replays(api: Api) -> None:
    _player, token = api.new_player()
    view = api.new_game(token, players=2, seats=[{"kind": "me"}, {"kind": "open"}])
    _other, guest = api.new_player()
    dealt = api.post(f"/v1/games/{view['id']}/seats", token=guest).json
    path = f"/v1/games/{view['id']}"
    api.post(f"{path}/abort", token=token)
    replay = api.get(f"{path}/replay").json
    assert (replay["status"], replay["winners"]) == ("aborted", None)
    assert replay["rounds"][0]["hands"][1] == dealt["you"]["hand"]
    assert replay["fairness"]["seed"]
