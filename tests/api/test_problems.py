"""Every refusal has its status, its title and a page that explains it."""

import pytest

from service.api.explanations import EXPLANATIONS
from service.api.problems import KINDS
from service.game.refusals import Reason
from tests.api.conftest import Api


def test_every_refusal_of_a_game_can_be_answered() -> None:
    assert set(Reason) <= set(KINDS)


def test_every_problem_is_explained_and_nothing_else() -> None:
    assert set(EXPLANATIONS) == set(KINDS)


@pytest.mark.parametrize("code", KINDS)
def test_the_page_of_a_problem_explains_it(api: Api, code: str) -> None:
    page = api.get(f"/problems/{code}")
    assert page.status_code == 200
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    for shown in (code, str(KINDS[code].status), KINDS[code].title):
        assert shown in page.text


def test_the_type_of_a_problem_leads_to_its_page(api: Api) -> None:
    refused = api.get("/v1/games/nonsense").json
    assert "Games are never deleted" in api.get(refused["type"]).text


def test_a_code_that_is_none_is_said_to_be(api: Api) -> None:
    answer = api.get("/problems/<script>")
    assert (answer.status_code, answer.json["code"]) == (404, "problem-unknown")
    assert "script" not in answer.text
