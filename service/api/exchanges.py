"""Every request and its answer: an id for both, and one line in the log."""

import re
import time
import uuid

import structlog
from flask import Flask, Response, g, request

from service.api.answers import GAME_ID

HEADER = "X-Request-Id"
_ID = re.compile(r"(?!.*pepper_)[A-Za-z0-9._-]{16,64}")
"""Long enough for UUIDs and trace ids, too long for a code, and no token: the id is logged."""

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_log = structlog.get_logger()


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
    _log.info("request", **_line(response.status_code, seconds))
    return response


def _line(status: int, seconds: float) -> dict[str, str | float]:
    """What the log says of an exchange: no query, no body, and of the address only the rule."""
    line: dict[str, str | float] = {
        "method": request.method if request.method in METHODS else "other",
        "route": request.url_rule.rule if request.url_rule else "none",
        "status": status,
        "ms": round(seconds * 1000, 2),
    }
    game = (request.view_args or {}).get("game_id")
    if game is not None and GAME_ID.fullmatch(game):
        line["game"] = game
    if "player" in g:
        line["player"] = g.player
    return line
