"""One POST: to the address that was checked, within its time, whatever the receiver does."""

import socket
import ssl
import subprocess
import threading
import time
from pathlib import Path

import pytest

from service.webhooks.posting import Posted, Poster
from service.webhooks.vocabulary import Outcome
from tests.webhooks.receiver import Answer, drips, hangs, nonsense, receiver, says

BODY = b'{"type":"test"}'
TO_SELF = Poster(loopback=True)


def test_it_posts_the_body_and_its_headers() -> None:
    with receiver(says(204)) as own:
        posted = TO_SELF.post(own.url(), {"webhook-id": "msg_1"}, BODY)
    assert posted == Posted(Outcome.DELIVERED, 204)
    (came,) = own.came
    assert (came.path, came.body) == ("/hook?key=1", BODY)
    assert came.headers["Host"] == f"127.0.0.1:{own.port}"
    assert came.headers["webhook-id"] == "msg_1"


@pytest.mark.parametrize(
    ("answer", "posted"),
    [
        (says(200, b"x" * 2_000_000), Posted(Outcome.DELIVERED, 200)),
        (says(500), Posted(Outcome.REFUSED, 500)),
        (says(410), Posted(Outcome.REFUSED, 410)),
        (nonsense, Posted(Outcome.UNREACHABLE)),
    ],
)
def test_the_status_decides(answer: Answer, posted: Posted) -> None:
    with receiver(answer) as own:
        assert TO_SELF.post(own.url(), {}, BODY) == posted


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_failure_and_is_not_followed(status: int) -> None:
    with receiver(says(200)) as inside, receiver(says(status, Location=inside.url())) as own:
        assert TO_SELF.post(own.url(), {}, BODY) == Posted(Outcome.REDIRECTED, status)
        assert inside.came == []


def test_nobody_there_is_a_failure() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        assert TO_SELF.post(url, {}, BODY) == Posted(Outcome.UNREACHABLE)


@pytest.mark.parametrize("answer", [hangs, drips])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_slow_answer_is_cut(
    answer: Answer, scheme: str, certified: tuple[ssl.SSLContext, ssl.SSLContext]
) -> None:
    server_side, trust = certified
    poster = Poster(loopback=True, seconds=0.5, resolve=to_self, trust=trust)
    with receiver(answer, server_side if scheme == "https" else None) as own:
        posted = poster.post(own.url(scheme, "bot.example.org"), {}, BODY)
    assert posted == Posted(Outcome.TIMED_OUT)


def test_a_handshake_that_never_comes_is_cut() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://127.0.0.1:{silent.getsockname()[1]}/"
        posted = Poster(loopback=True, seconds=0.5).post(url, {}, BODY)
    assert posted == Posted(Outcome.TIMED_OUT)


def test_a_slow_resolver_is_left() -> None:
    def slow(_host: str, _port: int, _seconds: float) -> list[str]:
        raise TimeoutError

    poster = Poster(loopback=True, resolve=slow)
    assert poster.post("http://bot.example.org/", {}, BODY) == Posted(Outcome.TIMED_OUT)


def test_loopback_is_forbidden_unless_it_is_on() -> None:
    with receiver(says(200)) as own:
        poster = Poster(loopback=False, resolve=to_self)
        for url in (own.url(), own.url("https"), own.url("https", "bot.example.org")):
            assert poster.post(url, {}, BODY) == Posted(Outcome.ADDRESS_FORBIDDEN)
        assert own.came == []


def test_a_resolver_that_changes_its_answer_is_asked_once() -> None:
    answers = [["127.0.0.1"], ["10.0.0.1"]]
    with receiver(says(200)) as own:
        poster = Poster(loopback=True, resolve=lambda *_asked: answers.pop(0))
        url = own.url(host="bot.example.org")
        assert poster.post(url, {}, BODY) == Posted(Outcome.DELIVERED, 200)
        assert own.came[0].headers["Host"] == f"bot.example.org:{own.port}"
        assert poster.post(url, {}, BODY) == Posted(Outcome.ADDRESS_FORBIDDEN)
        assert len(own.came) == 1


def test_the_environments_proxies_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with receiver(says(200)) as own, receiver(says(502)) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy.url())
        assert TO_SELF.post(own.url(), {}, BODY) == Posted(Outcome.DELIVERED, 200)
        assert proxy.came == []


def test_the_next_address_is_tried_when_nobody_is_at_the_first() -> None:
    with receiver(says(200)) as own:
        poster = Poster(loopback=True, resolve=lambda *_asked: ["127.0.0.2", "127.0.0.1"])
        posted = poster.post(own.url(host="bot.example.org"), {}, BODY)
    assert posted == Posted(Outcome.DELIVERED, 200)


def test_tls_is_to_the_name_at_the_checked_address(
    certified: tuple[ssl.SSLContext, ssl.SSLContext],
) -> None:
    server_side, trust = certified
    names: list[str] = []
    server_side.sni_callback = lambda _socket, name, _context: names.append(name)
    poster = Poster(loopback=True, resolve=to_self, trust=trust)
    with receiver(says(200), server_side) as own:
        url = own.url("https", "bot.example.org")
        assert poster.post(url, {}, BODY) == Posted(Outcome.DELIVERED, 200)
        other = own.url("https", "other.example.org")
        assert poster.post(other, {}, BODY) == Posted(Outcome.TLS_FAILED)
        unknown = Poster(loopback=True, resolve=to_self)
        assert unknown.post(url, {}, BODY) == Posted(Outcome.TLS_FAILED)
    assert names == ["bot.example.org", "other.example.org", "bot.example.org"]
    assert len(own.came) == 1


def test_no_thread_is_left() -> None:
    before = threading.active_count()
    with receiver(says(200)) as own:
        TO_SELF.post(own.url(), {}, BODY)
    deadline = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before


def to_self(_host: str, _port: int, _seconds: float) -> list[str]:
    return ["127.0.0.1"]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and its own certificate for bot.example.org."""
    path = tmp_path_factory.mktemp("tls")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-keyout", path / "key.pem", "-out", path / "certificate.pem", "-days", "2",
         "-subj", "/CN=bot.example.org", "-addext", "subjectAltName=DNS:bot.example.org"],
        check=True, capture_output=True,
    )  # fmt: skip
    return path


@pytest.fixture
def certified(certificate: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """What the server shows, and who trusts it."""
    server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_side.load_cert_chain(certificate / "certificate.pem", certificate / "key.pem")
    return server_side, ssl.create_default_context(cafile=str(certificate / "certificate.pem"))
