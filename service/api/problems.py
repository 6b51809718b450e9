"""Every refusal that HTTP can give, as problem documents (RFC 9457). All status codes are here."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson
from flask import Flask, Response
from redis.exceptions import RedisError
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from service.game.refusals import Reason, Refusal


class Kind(NamedTuple):
    """What a code means: its status, its title, and whether the same request may yet succeed."""

    status: int
    title: str
    is_retryable: bool = False


KINDS: Mapping[str, Kind] = {
    "malformed-json": Kind(400, "The body is not JSON"),
    "malformed-header": Kind(400, "A header cannot be read"),
    "malformed-query": Kind(400, "A query parameter cannot be read"),
    "bad-request": Kind(400, "The request cannot be read"),
    "token-missing": Kind(401, "This needs a token"),
    "token-invalid": Kind(401, "The token is unknown or revoked"),
    "scope-missing": Kind(403, "The token may not do this"),
    "code-invalid": Kind(403, "The code is wrong, used or too old"),
    "hidden-until-finished": Kind(403, "This is shown when the game has ended"),
    Reason.NOT_SEATED: Kind(403, "This seat is not yours"),
    Reason.NOT_CREATOR: Kind(403, "Only the creator may do this"),
    Reason.HELD_ANOTHER_SEAT: Kind(403, "Who has held another seat may not sit"),
    Reason.BOTS_NOT_ALLOWED: Kind(403, "The game is for people only"),
    "route-unknown": Kind(404, "There is nothing at this address"),
    "game-unknown": Kind(404, "No game has this id"),
    "player-unknown": Kind(404, "No player has this id"),
    "token-unknown": Kind(404, "You have no such token"),
    "webhook-unknown": Kind(404, "You have no such webhook"),
    "version-unknown": Kind(404, "The game has no such version"),
    "problem-unknown": Kind(404, "No problem has this code"),
    Reason.SEAT_UNKNOWN: Kind(404, "The table has no such seat"),
    "method-not-allowed": Kind(405, "The address does not answer this method"),
    Reason.SEAT_TAKEN: Kind(409, "The seat is taken"),
    Reason.SEAT_RESERVED: Kind(409, "The seat is kept for another player"),
    Reason.NO_OPEN_SEAT: Kind(409, "No seat is open"),
    Reason.ALREADY_SEATED: Kind(409, "This player has a seat already"),
    Reason.ALREADY_STARTED: Kind(409, "The game has started"),
    Reason.NOT_STARTED: Kind(409, "The game has not started"),
    Reason.STARTS_BY_ITSELF: Kind(409, "The game starts by itself"),
    Reason.SEATS_STILL_OPEN: Kind(409, "A seat is still open"),
    Reason.TOO_LATE_TO_ABORT: Kind(409, "It is too late to abort"),
    Reason.GAME_OVER: Kind(409, "The game is over"),
    Reason.GAME_NOT_FINISHED: Kind(409, "The game is not finished"),
    Reason.WRONG_PHASE: Kind(409, "This is not the time for that"),
    Reason.NOT_YOUR_TURN: Kind(409, "It is not your turn"),
    Reason.BOT_IS_ACTING: Kind(409, "A bot acts for you"),
    "too-many-tokens": Kind(409, "You hold as many tokens as one may"),
    "too-many-webhooks": Kind(409, "You have as many webhooks as one may"),
    "too-many-open-games": Kind(409, "You have as many unfinished games as one may"),
    "webhook-disabled": Kind(409, "The webhook is disabled"),
    "version-mismatch": Kind(412, "The game has moved on"),
    "body-too-large": Kind(413, "The body is too large"),
    "media-type-unsupported": Kind(415, "The body must be JSON"),
    "idempotency-key-reused": Kind(422, "The key has been used for something else"),
    "invalid-body": Kind(422, "The body does not fit"),
    "url-forbidden": Kind(422, "No webhook may lead there"),
    Reason.BID_NOT_IN_LIST: Kind(422, "Not a bid of this game"),
    Reason.BID_TOO_LOW: Kind(422, "The bid is too low"),
    Reason.MUST_BID: Kind(422, "You must bid"),
    Reason.TRUMP_NOT_ALLOWED: Kind(422, "Not a contract of this game"),
    Reason.CARD_NOT_IN_HAND: Kind(422, "You do not hold this card"),
    Reason.MUST_FOLLOW_SUIT: Kind(422, "You must follow suit"),
    Reason.RULES_INVALID: Kind(422, "The house rules do not fit"),
    Reason.SEATS_INVALID: Kind(422, "The seats do not fit"),
    "rate-limited": Kind(429, "Too many tries", is_retryable=True),
    "too-many-streams": Kind(429, "You hold as many streams as one may", is_retryable=True),
    "too-many-waiting": Kind(429, "Too many answers wait for you", is_retryable=True),
    "internal-error": Kind(500, "The service failed"),
    "streams-full": Kind(503, "All places for streams are taken", is_retryable=True),
    "not-replicated": Kind(503, "The change is not safe yet", is_retryable=True),
    "store-unavailable": Kind(503, "The store does not answer", is_retryable=True),
}
RETRY_AFTER = {"Retry-After": "1"}
_BY_STATUS = {404: "route-unknown", 405: "method-not-allowed", 413: "body-too-large"}


class Problem(Exception):
    """An answer that refuses; `extra` adds members to the document."""

    def __init__(
        self,
        code: str,
        detail: str = "",
        *,
        errors: Mapping[str, Any] | None = None,
        extra: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(code)
        self.code, self.detail, self.errors = code, detail, errors
        self.extra, self.headers = extra, headers


def refused(refusal: Refusal, extra: Mapping[str, Any] | None = None) -> Problem:
    """A game's refusal as an answer."""
    return Problem(refusal.reason.value, refusal.detail, extra=extra)


def document(problem: Problem) -> dict[str, Any]:
    """The problem document."""
    kind = KINDS[problem.code]
    body: dict[str, Any] = {
        "type": f"/problems/{problem.code}",
        "title": kind.title,
        "status": kind.status,
        "detail": problem.detail or f"{kind.title}.",
        "code": problem.code,
        "retryable": kind.is_retryable,
    }
    if problem.errors:
        body["errors"] = problem.errors
    return {**body, **(problem.extra or {})}


def problem_response(problem: Problem) -> Response:
    """The problem as a response."""
    response = Response(
        orjson.dumps(document(problem), option=orjson.OPT_NON_STR_KEYS),
        status=KINDS[problem.code].status,
        content_type="application/problem+json",
    )
    response.headers["Cache-Control"] = "no-store"
    if KINDS[problem.code].status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    response.headers.update(problem.headers or {})
    return response


def handle_problems(app: Flask) -> None:
    """Answer every fault of an app with a problem document."""
    app.register_error_handler(Problem, problem_response)
    app.register_error_handler(HTTPException, _of_werkzeug)
    app.register_error_handler(RedisError, _of_store)
    app.register_error_handler(500, lambda _fault: problem_response(Problem("internal-error")))


def _of_werkzeug(fault: HTTPException) -> Response:
    if fault.code is not None and 300 <= fault.code < 400:
        return Response(status=fault.code, headers=fault.get_headers())
    headers = {}
    if isinstance(fault, MethodNotAllowed) and fault.valid_methods:
        headers["Allow"] = ", ".join(sorted(fault.valid_methods))
    return problem_response(
        Problem(_BY_STATUS.get(fault.code or 0, "bad-request"), headers=headers)
    )


def _of_store(_fault: RedisError) -> Response:
    return problem_response(Problem("store-unavailable", headers=RETRY_AFTER))
