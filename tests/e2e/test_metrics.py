"""Metrics of all processes of one `pepper serve`, whichever web process answers."""

import os
import signal
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http.client import HTTPConnection

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.e2e.running import Running, eventually, service


@pytest.fixture(scope="module")
def own() -> Iterator[Running]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("WEB_CONCURRENCY", "2")
        with service() as started:
            yield started


@pytest.fixture
def held() -> Iterator[ExitStack]:
    with ExitStack() as connections:
        yield connections


def sample(running: Running, name: str, **labels: str) -> float:
    with urllib.request.urlopen(f"{running.url}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    return sum(
        each.value
        for family in text_string_to_metric_families(text)
        for each in family.samples
        if each.name == name and labels.items() <= each.labels.items()
    )


def test_all_web_processes_count_together(own: Running) -> None:
    asked = {"route": "/v1/rules", "status": "200"}
    before = sample(own, "pepper_requests_total", **asked)
    for _again in range(30):
        own.ask("GET", "/v1/rules")
    assert sample(own, "pepper_requests_total", **asked) == before + 30
    assert sample(own, "pepper_request_seconds_count", route="/v1/rules") == before + 30


def test_what_workers_and_followers_do_is_shown(own: Running) -> None:
    seats = [{"kind": "bot"}] * 4
    own.ask("POST", "/v1/games", {"players": 4, "seats": seats}, own.join("Host"))
    eventually(lambda: sample(own, "pepper_bot_turn_seconds_count") > 20, "bots' turns")
    assert sample(own, "pepper_appends_total", cause="bot") > 20
    assert sample(own, "pepper_workers", queue="bots") == 1
    assert sample(own, "pepper_feed_shards_followed", follower="bots") == 16
    assert sample(own, "pepper_server_up") == 2
    eventually(lambda: sample(own, "pepper_feed_lag_seconds") < 1, "followers that keep up")


def test_what_a_killed_web_process_held_open_is_forgotten(own: Running, held: ExitStack) -> None:
    _status, view = own.ask("POST", "/v1/games", {"players": 4}, own.join("Ana"))
    address = own.url.removeprefix("http://")
    streams = [held.enter_context(closing(HTTPConnection(address))) for _each in range(4)]
    answers = []
    for stream in streams:
        stream.request("GET", f"/v1/games/{view['id']}/stream")
        answers.append(held.enter_context(stream.getresponse()))
    assert [answer.status for answer in answers] == [200] * 4
    assert sample(own, "pepper_streams_open") == 4
    counted = sample(own, "pepper_appends_total")
    for pid in own.children("gunicorn"):
        os.kill(pid, signal.SIGKILL)

    def is_back() -> bool:
        try:
            return sample(own, "pepper_streams_open") == 0
        except OSError:
            return False

    eventually(is_back, "no streams shown")
    assert sample(own, "pepper_appends_total") >= counted
