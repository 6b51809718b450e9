"""The service's own pages, and the link to a game that people share."""

import pytest

from tests.api.conftest import Api

HTML = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}


def test_a_link_is_a_page_for_people_and_json_for_programs(api: Api) -> None:
    token = api.new_player("Ana")[1]
    view = api.new_game(token)
    page = api.get(view["url"], headers=HTML, token=token)
    assert page.mimetype == "text/html"
    assert "Accept" in page.headers["Vary"].split(", ")
    for accept in ("application/json", "*/*", ""):
        answer = api.get(view["url"], headers={"Accept": accept}, token=token)
        assert answer.json == api.get(f"/v1/games/{view['id']}", token=token).json
    assert api.get(view["url"], headers={"Accept": "application/json"}).json["you"] is None


def test_the_page_behind_a_link_shows_no_hand_even_to_its_player(api: Api) -> None:
    token = api.new_player()[1]
    view = api.new_game(token)
    assert view["you"]["hand"]
    own = api.get(view["url"], headers=HTML, token=token).get_data()
    assert own == api.get(view["url"], headers=HTML).get_data()


def test_a_page_runs_no_script_and_loads_nothing(api: Api) -> None:
    token = api.new_player("<script>x()</script>")[1]
    url = api.new_game(token)["url"]
    for path in (url, "/docs", "/problems/game-over"):
        page = api.get(path, headers=HTML)
        policy = page.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'")
        assert "script-src" not in policy
        assert page.headers["X-Content-Type-Options"] == "nosniff"
        assert "<script" not in page.get_data(as_text=True)


@pytest.mark.parametrize("game", ["g_0unknownunknown", "nonsense", "g_0%3Cb%3E"])
@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_a_link_to_no_game(api: Api, game: str, accept: str) -> None:
    answer = api.get(f"/g/{game}", headers={"Accept": accept})
    assert (answer.status_code, answer.json["code"]) == (404, "game-unknown")


def test_the_service_says_how_it_is_and_who_its_bots_are(api: Api) -> None:
    assert api.get("/healthz").json == {"status": "ok"}
    levels = {bot["level"] for bot in api.get("/v1/bots").json["items"]}
    assert {"novice", "club"} <= levels
