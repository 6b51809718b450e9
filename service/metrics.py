"""What is counted while it happens; no label names a game, a player or anything a client chose.

The processes of one machine count together where `PROMETHEUS_MULTIPROC_DIR` names their folder.
"""

from prometheus_client import Counter, Gauge, Histogram

from events.vocabulary import Cause

_REQUEST_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30)
_TURN_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)

REQUESTS = Counter("pepper_requests", "Requests answered.", ["method", "route", "status"])
REQUEST_SECONDS = Histogram(
    "pepper_request_seconds",
    "From a request to the beginning of its answer, waiting included.",
    ["method", "route"],
    buckets=_REQUEST_SECONDS,
)
APPENDS = Counter("pepper_appends", "Appends to games' logs, by who caused them.", ["cause"])
CONFLICTS = Counter("pepper_append_conflicts", "Appends refused since the game had moved on.")
BOT_TURNS = Histogram(
    "pepper_bot_turn_seconds",
    "From the append that began a bot's turn to the bot's own, by the store's clock.",
    buckets=_TURN_SECONDS,
)
TURNS_ENDED_LATE = Histogram(
    "pepper_turn_lateness_seconds",
    "From the deadline of a person's turn to the append that ended it, by the store's clock.",
    buckets=_TURN_SECONDS,
)
WEBHOOK_TRIES = Counter("pepper_webhook_tries", "Deliveries tried, by how it went.", ["outcome"])
STREAMS_OPEN = Gauge("pepper_streams_open", "Streams now open.", multiprocess_mode="livesum")
WAITS_OPEN = Gauge("pepper_waits_open", "Answers that wait now.", multiprocess_mode="livesum")

APPENDED_BY = {cause: APPENDS.labels(cause.name.lower()) for cause in Cause}
"""The counter of each cause, there from the start so that its first increase is one."""
