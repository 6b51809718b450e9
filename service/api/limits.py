"""How often a player may ask, or an address without a token: beyond that, 429 until it is over.

An accepted action is never counted and never refused. What counts is the refused ones; once too
many have been, the game's refusals are replaced by 429, and a legal action is still accepted.
"""

import logging
import time
from math import ceil

from flask import Flask, Response, request
from flask_limiter import Limit as Quota
from flask_limiter import Limiter, RateLimitExceeded
from limits import RateLimitItem, parse
from limits.storage import RedisStorage, Storage
from limits.util import WindowStats
from redis import Redis
from redis.exceptions import RedisError

from service.api.auth import caller
from service.api.problems import Problem, problem_response
from service.wiring import Services

READS, WRITES = "1200/minute", "240/minute"
"""What a player may read and change; without a token, an address."""

JOINS = "20/minute"
"""New players of one address."""

REFUSED = parse("120/minute")
"""Actions of a player that the game may refuse before it stops saying why."""

ACTIONS, JOINING = "actions.act", "players.create_player"
FREE = frozenset(
    {"health.get_health", "health.get_readiness", "health.get_metrics", "pages.get_openapi"}
)
READING = frozenset({"GET", "HEAD"})


class _Storage(RedisStorage):
    """What is counted, kept by a client that there is: of one server, or of a cluster."""

    STORAGE_SCHEME = ["pepper"]  # noqa: RUF012  (as limits has it)

    def __init__(self, uri: str, client: Redis, *, wrap_exceptions: bool = False) -> None:
        Storage.__init__(self, uri, wrap_exceptions=wrap_exceptions)
        self.key_prefix = "pepper:limits"
        self.target_server = "redis"
        self.dependency = self.dependencies["redis"].module
        self.storage = client
        self.initialize_storage(uri)


def limit_requests(app: Flask, services: Services) -> None:
    """Count an app's requests in the event store; after its other hooks, so that it acts first."""
    limiter = Limiter(
        _who,
        storage_uri=f"{_Storage.STORAGE_SCHEME[0]}://",
        storage_options={"client": services.client},  # type: ignore[dict-item]  # passed on
        strategy="sliding-window-counter",
        swallow_errors=True,  # without a store the request itself answers 503
        default_limits=[
            _quota("reads", READS),
            _quota("writes", WRITES),
            _quota("joins", JOINS),
        ],
    )
    limiter.logger.setLevel(logging.CRITICAL)  # each swallowed error would be a traceback
    limiter.request_filter(lambda: _kind() is None)
    limiter.init_app(app)
    app.register_error_handler(
        RateLimitExceeded, lambda _fault: problem_response(Problem("rate-limited"))
    )
    app.after_request(lambda response: _told(limiter, response))


def _quota(kind: str, rate: str) -> Quota:
    return Quota(rate, scope=kind, shared=True, exempt_when=lambda: _kind() != kind)


def _kind() -> str | None:
    """Which quota a request draws on, None if it is free or counted afterwards."""
    if request.method == "OPTIONS" or request.endpoint in FREE or request.endpoint == ACTIONS:
        return None
    if request.endpoint == JOINING:
        return "joins"
    return "reads" if request.method in READING else "writes"


def _who() -> str:
    """The player of a good token, else the address; new players count by address alone."""
    try:
        known = None if request.endpoint == JOINING else caller()
    except Problem:
        known = None
    return known.player if known else f"address:{request.remote_addr}"


def _told(limiter: Limiter, response: Response) -> Response:
    """The answer with what is left of the quota it drew on, or 429 for one refusal too many."""
    try:
        if request.endpoint == ACTIONS:
            return _counted(limiter, response)
        used = limiter.current_limit
        if used is not None:
            _add_headers(response, _kind() or "", used.limit, used.window)
    except RedisError:
        return response
    return response


def _counted(limiter: Limiter, response: Response) -> Response:
    if request.method == "OPTIONS" or not 400 <= response.status_code < 500:
        return response
    names = (_who(), "refused")
    if not limiter.limiter.hit(REFUSED, *names):
        response = problem_response(Problem("rate-limited", "Too many actions were refused."))
    _add_headers(response, "refused", REFUSED, limiter.limiter.get_window_stats(REFUSED, *names))
    return response


def _add_headers(response: Response, kind: str, quota: RateLimitItem, left: WindowStats) -> None:
    """As draft-ietf-httpapi-ratelimit-headers-11 says: the quota, and what is left of it."""
    seconds = max(1, ceil(left.reset_time - time.time()))
    response.headers["RateLimit-Policy"] = f'"{kind}";q={quota.amount};w={quota.get_expiry()}'
    response.headers["RateLimit"] = f'"{kind}";r={left.remaining};t={seconds}'
    if response.status_code == 429:
        response.headers.setdefault("Retry-After", str(seconds))
