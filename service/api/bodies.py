"""Reading the body of a request: JSON, an object, of bounded size."""

from typing import Any

import orjson
from flask import request
from gunicorn.http.errors import ParseException as ChunksMalformed

from service.api.problems import Problem


def request_json(*, is_optional: bool = False) -> dict[str, Any]:
    """The request's JSON object; `{}` for no body where that is allowed. Raises Problem."""
    raw = raw_body()
    if not raw and is_optional:
        return {}
    if request.mimetype != "application/json":
        raise Problem("media-type-unsupported", "Send Content-Type: application/json.")
    try:
        body = orjson.loads(raw)
    except orjson.JSONDecodeError:
        raise Problem("malformed-json") from None
    if not isinstance(body, dict):
        raise Problem("invalid-body", "The body must be a JSON object.")
    return body


def raw_body() -> bytes:
    """The request's body as it came; raises Problem."""
    try:
        raw = request.get_data()
    except ChunksMalformed:
        raise Problem("malformed-json", "The chunks of the body cannot be read.") from None
    # Werkzeug cuts a body of unknown length at the limit instead of refusing it.
    if request.content_length is None and len(raw) == request.max_content_length:
        raise Problem("body-too-large")
    return raw
