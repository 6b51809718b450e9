"""The Flask app: every blueprint, problem documents for every fault, CORS for every origin."""

from flask import Flask
from flask_cors import CORS
from werkzeug.routing import IntegerConverter

from service.api.actions import actions
from service.api.games import games
from service.api.pages import pages
from service.api.players import players
from service.api.problems import Problem, handle_problems, problem_response
from service.api.replays import replays
from service.api.seats import seats
from service.api.services import attach
from service.table import GameUnknown, VersionUnknown
from service.wiring import Services

LARGEST_BODY = 64 * 1024
ALLOWED_HEADERS = [
    "Authorization",
    "Content-Type",
    "If-Match",
    "If-None-Match",
    "Idempotency-Key",
    "Last-Event-ID",
    "Prefer",
]
EXPOSED_HEADERS = ["ETag", "Location", "Retry-After", "RateLimit", "Allow", "Idempotent-Replayed"]


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
    for blueprint in (players, games, seats, actions, replays, pages):
        app.register_blueprint(blueprint)
    handle_problems(app)
    app.register_error_handler(
        GameUnknown, lambda _fault: problem_response(Problem("game-unknown"))
    )
    app.register_error_handler(
        VersionUnknown, lambda _fault: problem_response(Problem("version-unknown"))
    )
    CORS(
        app,
        origins="*",
        send_wildcard=True,
        allow_headers=ALLOWED_HEADERS,
        expose_headers=EXPOSED_HEADERS,
        max_age=3600,
    )
    return app
