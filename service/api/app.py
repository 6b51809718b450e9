"""The Flask app: every blueprint, problem documents for every fault, CORS for every origin."""

from flask import Flask, Response, request
from werkzeug.routing import IntegerConverter

from events.store import AlreadyDone, RequestReused
from service.api.account import account
from service.api.actions import actions
from service.api.confirmations import confirm_changes
from service.api.exchanges import observe
from service.api.games import games
from service.api.health import health
from service.api.idempotency import replayed
from service.api.invitations import invitations
from service.api.limits import limit_requests
from service.api.my_stream import my_stream
from service.api.pages import pages
from service.api.players import players
from service.api.problems import Problem, handle_problems, problem_response
from service.api.replays import replays
from service.api.seats import seats
from service.api.services import attach
from service.api.streams import streams
from service.api.tokens import tokens
from service.api.turns import turns
from service.api.webhooks import webhooks
from service.table import GameUnknown, VersionUnknown
from service.wiring import Services

LARGEST_BODY = 64 * 1024
CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": (
        "ETag, Location, Retry-After, RateLimit, RateLimit-Policy, Allow, Idempotent-Replayed, "
        "X-Request-Id"
    ),
}
PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
    "Access-Control-Allow-Headers": (
        "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, "
        "Last-Event-ID, Prefer, X-Request-Id"
    ),
    "Access-Control-Max-Age": "3600",
}
"""Tokens and no cookies, so every origin may ask, and read the answer (ADR 0008)."""


class PlainNumber(IntegerConverter):
    """Numbers in addresses, each spelled one way: Werkzeug takes any script's digits, and zeros."""

    regex = r"0|[1-9][0-9]*"


def create_app(services: Services) -> Flask:
    """The app over a process's parts."""
    app = Flask("service.api", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
    app.url_map.redirect_defaults = False
    app.url_map.merge_slashes = False
    app.url_map.converters["int"] = PlainNumber
    attach(app, services)
    observe(app)
    for blueprint in (
        players,
        account,
        tokens,
        turns,
        invitations,
        my_stream,
        webhooks,
        games,
        seats,
        actions,
        replays,
        streams,
        pages,
        health,
    ):
        app.register_blueprint(blueprint)
    handle_problems(app)
    app.register_error_handler(
        GameUnknown, lambda _fault: problem_response(Problem("game-unknown"))
    )
    app.register_error_handler(
        VersionUnknown, lambda _fault: problem_response(Problem("version-unknown"))
    )
    app.register_error_handler(AlreadyDone, replayed)
    app.register_error_handler(
        RequestReused, lambda _fault: problem_response(Problem("idempotency-key-reused"))
    )
    app.after_request(_open_to_every_origin)
    if services.settings.rate_limits:
        limit_requests(app, services)
    confirm_changes(app)
    return app


def _open_to_every_origin(response: Response) -> Response:
    response.headers.extend(CORS)
    if request.method == "OPTIONS":
        response.headers.extend(PREFLIGHT)
    return response
