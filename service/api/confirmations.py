"""What changed is acknowledged once it is as durable as promised, or not at all."""

from flask import Flask, Response, request
from redis.exceptions import RedisError

from service.api.problems import RETRY_AFTER, Problem, problem_response
from service.api.services import current
from service.durability import NotReplicated, confirm

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


def confirm_changes(app: Flask) -> None:
    """Confirm the changes of an app; after its other hooks, which then see what is answered."""
    app.after_request(_confirmed)


def _confirmed(response: Response) -> Response:
    if request.method in SAFE or response.status_code >= 400:
        return response
    try:
        confirm(current().client, current().settings)
    except (NotReplicated, RedisError):
        return problem_response(Problem("not-replicated", headers=RETRY_AFTER))
    return response
