"""Every request and its answer: an id for both, one line in the log, one measurement."""

import re
import time
import uuid

import structlog
from flask import Flask, Response, g, request

from service.api.answers import GAME_ID
from service.logs import request_log
from service.metrics import REQUEST_SECONDS, REQUESTS

HEADER = "X-Request-Id"
_ID = re.compile(r"(?!.*pepper_)[A-Za-z0-9._-]{16,64}")
"""Long enough for UUIDs and trace ids, too long for a code, and no token: the id is logged."""

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def observe(app: Flask) -> None:
    """Note every exchange of an app; before its other hooks, so that it sees their answers."""
    app.before_request(_begin)
    app.after_request(_end)


def note_player(player: str) -> None:
    """Say whose token the request came with."""
    g.player = player


def _begin() -> None:
    g.began = time.perf_counter()
    asked = request.headers.get(HEADER, "")
    g.request_id = asked if _ID.fullmatch(asked) else str(uuid.uuid4())
    structlog.contextvars.clear_contextvars()  # a connection's requests share a context
    structlog.contextvars.bind_contextvars(request_id=g.request_id)


def _end(response: Response) -> Response:
    seconds = time.perf_counter() - g.began
    response.headers[HEADER] = g.request_id
    method = request.method if request.method in METHODS else "other"
    route = request.url_rule.rule if request.url_rule else "none"
    REQUESTS.labels(method, route, str(response.status_code)).inc()
    REQUEST_SECONDS.labels(method, route).observe(seconds)
    request_log.info(
        "request",
        method=method,
        route=route,
        status=response.status_code,
        ms=round(seconds * 1000, 2),
        **_who_and_where(),
    )
    return response


def _who_and_where() -> dict[str, str]:
    """The ids of the player and the game, if there are."""
    found = {}
    game = (request.view_args or {}).get("game_id")
    if game is not None and GAME_ID.fullmatch(game):
        found["game"] = game
    if "player" in g:
        found["player"] = g.player
    return found
