"""Every operation of openapi.yaml with made-up requests: no fault, no undocumented answer.

They are the same in every run. To try others: `PEPPER_FUZZ_SEED=7 PEPPER_FUZZ_REQUESTS=500`.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
import schemathesis
from flask import Flask
from schemathesis import Case, CheckContext, Response
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    content_type_conformance,
    ignored_auth,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from service.api.app import create_app
from service.wiring import Services
from tests.api.conftest import Api, CheckedClient
from tests.api.spec import PROBLEM, SPEC

SEED = int(os.environ.get("PEPPER_FUZZ_SEED", "3"))
REQUESTS = int(os.environ.get("PEPPER_FUZZ_REQUESTS", "12"))
"""Drawn at random for an operation, besides those with each limit, and each thing wrong, once."""

ANYWHERE = {"route-unknown", "method-not-allowed"}
MALFORMED = {"malformed-query", "malformed-header", "malformed-json", "invalid-body"}
BEYOND_SCHEMAS = {
    "confirm: your own player id.",
    "cursor: one that a page gave out.",
    "Idempotency-Key: here, 22 random characters or more.",
    "Last-Event-ID: the id of a frame.",  # made up, a header that has a pattern is always 0
}
WORDED_FIELDS = {"name", "url", "seats"}
"""What may be wrong although schemas say it in words only: these details, these fields."""


def problem_is_listed(_context: CheckContext, answer: Response, case: Case[Any]) -> None:
    """A problem says its status, and its code is among the operation's."""
    if answer.headers.get("content-type") == [PROBLEM]:
        problem, listed = answer.json(), case.operation.definition.raw["x-problems"]
        assert problem["status"] == answer.status_code
        assert problem["code"] in {*listed, *ANYWHERE}, problem


def right_form_is_understood(_context: CheckContext, answer: Response, case: Case[Any]) -> None:
    """A request as the document describes it is never called malformed."""
    is_right = case.meta is not None and case.meta.generation.mode.is_positive
    if is_right and answer.headers.get("content-type") == [PROBLEM]:
        problem = answer.json()
        fields = problem.get("errors", {}).keys()
        is_worded = problem["detail"] in BEYOND_SCHEMAS or fields & WORDED_FIELDS
        assert is_worded or problem["code"] not in MALFORMED, problem


CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
    allow_header_conformance,
    ignored_auth,
    problem_is_listed,
    right_form_is_understood,
]
SCHEMA = schemathesis.openapi.from_path(
    SPEC,
    config=SchemathesisConfig.from_dict(
        {
            "seed": SEED,
            "generation": {
                "max-examples": REQUESTS,
                "database": "none",
                "with-security-parameters": False,  # the test sends a token, or none
            },
            "suppress-health-check": ["all"],
        }
    ),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """An app, a player's token, and by the names of path parameters what is in its store."""

    app: Flask
    token: str
    there: Mapping[str, str]


@pytest.fixture
def asked(app_services: Services) -> Iterator[Asked]:
    """The app over a real server; no hub and no bells, so that streams and waits end at once."""
    print(f"PEPPER_FUZZ_SEED={SEED}")  # noqa: T201  pytest shows it when the test fails
    app_services.dismiss()
    app = create_app(app_services)
    app.test_client_class = CheckedClient
    client = app.test_client()
    assert isinstance(client, CheckedClient)
    api = Api(client, app_services)
    player, token = api.new_player("Ana")
    game = api.new_game(token)["id"]
    api.bots_play(game)
    hook = {"url": "https://bot.example.org/pepper", "events": ["turn"]}
    webhook = api.post("/v1/webhooks", json=hook, token=token).json["id"]
    tablet = {"name": "tablet", "scopes": ["read"]}
    other = api.post("/v1/tokens", json=tablet, token=token).json["token_info"]["id"]
    there = {"player_id": player, "game_id": game, "webhook_id": webhook, "token_id": other}
    yield Asked(app, token, there)
    app_services.client.close()


@SCHEMA.parametrize()
@pytest.mark.parametrize("with_token", [True, False], ids=["with a token", "without"])
def test_made_up_requests_get_documented_answers(
    case: Case[Any], asked: Asked, *, with_token: bool
) -> None:
    """All checks but one: a stream is text as a whole, and the schema's check is of its frames."""
    _name_what_is_there(case, asked.there)
    is_streamed = case.operation.path.endswith("/stream")
    case.operation.schema.app = asked.app
    case.call_and_validate(
        app=asked.app,
        headers={"Authorization": f"Bearer {asked.token}"} if with_token else {},
        checks=CHECKS,
        excluded_checks=[response_schema_conformance] if is_streamed else [],
    )


def _name_what_is_there(case: Case[Any], there: Mapping[str, str]) -> None:
    """Made-up ids lead nowhere; those that are wrong on purpose stay."""
    if case.meta is None or not case.meta.is_negative_at(ParameterLocation.PATH):
        for name in case.path_parameters.keys() & there.keys():
            case.path_parameters[name] = there[name]
