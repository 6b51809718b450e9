"""The yardstick of `actions`: a bare Flask route, one pipelined XADD and XREVRANGE, 2 KB back."""

import os

from flask import Flask, Response
from redis import Redis

app = Flask(__name__)
client = Redis.from_url(os.environ["REDIS_URL"])
BODY = b"{" + b'"a":1,' * 340 + b'"z":1}'


@app.post("/bare")
def bare() -> Response:
    """Write one entry, read the last, answer."""
    with client.pipeline(transaction=False) as pipeline:
        pipeline.xadd("bare", {"e": b"x" * 20})
        pipeline.xrevrange("bare", count=1)
        pipeline.execute()
    return Response(BODY, content_type="application/json")
