"""How the service is, for those who run it: alive, ready, measured."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from flask import Blueprint, Response
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from redis.exceptions import RedisError

from service.api.answers import json_response
from service.api.services import current
from service.durability import durability_problems, unchecked
from service.metrics_folder import VARIABLE, forget_ended
from service.vitals import Vitals, vitals

health = Blueprint("health", __name__)
NOT_KEPT = {"Cache-Control": "no-store"}


@health.get("/healthz")
def get_health() -> Response:
    """Whether this process is alive."""
    return json_response({"status": "ok"}, headers=NOT_KEPT)


@health.get("/readyz")
def get_readiness() -> Response:
    """Whether the service can play and keep its promise, and if not, what is wrong."""
    parts = current()
    try:
        problems = durability_problems(parts.client, parts.settings)
        warnings = [*unchecked(parts.client), *vitals(parts).warnings()]
    except RedisError:
        problems, warnings = ["the event store does not answer"], []
    status = "not ready" if problems else "ready"
    body = {"status": status, "problems": problems, "warnings": warnings}
    return json_response(body, 503 if problems else 200, NOT_KEPT)


@health.get("/metrics")
def get_metrics() -> Response:
    """What all processes counted, and how the service is now, as Prometheus reads it."""
    counted = CollectorRegistry()
    if folder := os.environ.get(VARIABLE):
        forget_ended(Path(folder))
        MultiProcessCollector(counted, folder)  # type: ignore[no-untyped-call]
    else:
        counted.register(REGISTRY)
    counted.register(_Now(vitals(current())))
    return Response(generate_latest(counted), content_type=CONTENT_TYPE_LATEST, headers=NOT_KEPT)


class _Now(Collector):
    """What is not counted but looked at; of a server that does not answer only that."""

    def __init__(self, state: Vitals) -> None:
        self._state = state

    def collect(self) -> Iterator[GaugeMetricFamily]:
        followers, ticked, workers, jobs = self._state
        yield _family(
            "pepper_server_up",
            "Whether a server answers.",
            "server",
            {"events": followers is not None, "queue": jobs is not None},
        )
        if followers is not None:
            lags = {name: state.lag_ms / 1000 for name, state in followers.items()}
            held = {name: state.shards for name, state in followers.items()}
            about = "Age of a follower's oldest undone append."
            yield _family("pepper_feed_lag_seconds", about, "follower", lags)
            about = "Shards, of 16, that some process follows."
            yield _family("pepper_feed_shards_followed", about, "follower", held)
        if ticked is not None:
            yield GaugeMetricFamily(
                "pepper_shards_ticked", "Shards, of 16, that have a ticker.", ticked
            )
        if workers is not None and jobs is not None:
            yield _family("pepper_workers", "Live workers of a queue.", "queue", workers)
            yield _family("pepper_queue_jobs", "Jobs that wait in a queue.", "queue", jobs)


def _family(name: str, about: str, label: str, values: Mapping[str, float]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, about, labels=[label])
    for value_of, value in values.items():
        family.add_metric([value_of], value)
    return family
