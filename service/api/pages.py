"""The service itself: the spec and its page, rules, bots, problems, links to share."""

from functools import cache
from importlib.resources import files
from typing import Any

import orjson
import yaml
from flask import Blueprint, Response, render_template, request
from markdown_it import MarkdownIt
from markupsafe import Markup

from service.api.answers import add_names, json_response, known_id, viewer_of
from service.api.auth import reader
from service.api.explanations import EXPLANATIONS
from service.api.games import view_of
from service.api.problems import KINDS, Problem
from service.api.rules_text import rules_sheet, rules_text
from service.api.services import current
from service.bots.levels import LEVELS
from service.views.seat_view import seat_view

pages = Blueprint("pages", __name__, template_folder="../web")
SHARED = {"Cache-Control": "public, max-age=60"}
SECURE_PAGE = {
    **SHARED,
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff",
}


def spec_text() -> str:
    """openapi.yaml, which the package links to in the source tree and holds when installed."""
    return files("service").joinpath("openapi.yaml").read_text(encoding="utf-8")


@pages.get("/openapi.yaml")
def get_openapi() -> Response:
    """The contract."""
    return Response(spec_text(), content_type="application/yaml", headers=SHARED)


@pages.get("/docs")
def get_docs() -> Response:
    """The contract as a page."""
    return Response(_docs(), content_type="text/html; charset=utf-8", headers=SECURE_PAGE)


@cache
def _docs() -> str:
    render = MarkdownIt("commonmark", {"html": False}).render
    spec = yaml.safe_load(spec_text())
    return render_template(
        "docs.html",
        spec=spec,
        markdown=lambda text: Markup(render(text)),  # noqa: S704  (raw HTML is switched off)
        pretty=lambda value: orjson.dumps(value, option=orjson.OPT_INDENT_2).decode(),
    )


@pages.get("/problems/<code>")
def get_problem(code: str) -> Response:
    """What a problem's code means."""
    kind = KINDS.get(code)
    if kind is None:
        raise Problem("problem-unknown")
    page = render_template("problem.html", code=code, kind=kind, explanation=EXPLANATIONS[code])
    return Response(page, content_type="text/html; charset=utf-8", headers=SECURE_PAGE)


@pages.get("/v1/rules")
def get_rules() -> Response:
    """The rules, for machines as JSON and for people as text."""
    reader()
    if request.accept_mimetypes.best_match(["application/json", "text/plain"]) == "text/plain":
        return Response(
            rules_text(),
            content_type="text/plain; charset=utf-8",
            headers={**SHARED, "Vary": "Accept"},
        )
    return json_response(rules_sheet(), headers={**SHARED, "Vary": "Accept"})


@pages.get("/v1/bots")
def get_bots() -> Response:
    """The levels of the service's bots."""
    reader()
    return json_response({"items": LEVELS}, headers=SHARED)


@pages.get("/g/<game_id>")
def get_link(game_id: str) -> Response:
    """A game behind its link: JSON for programs, a small page for people."""
    viewer = viewer_of(reader())
    wanted = request.accept_mimetypes.best_match(["application/json", "text/html"])
    if wanted != "text/html":
        return view_of(game_id, viewer)
    view: dict[str, Any] = {**seat_view(current().table.look(known_id(game_id)), None)}
    add_names(view["seats"])
    return Response(
        render_template("game.html", view=view),
        content_type="text/html; charset=utf-8",
        headers={**SECURE_PAGE, "Cache-Control": "private, no-cache", "Vary": "Accept"},
    )
