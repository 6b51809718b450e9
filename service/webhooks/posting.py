"""One POST to an address that was checked: no redirects, no proxies, no second look-up."""

import contextlib
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from threading import Timer
from typing import NamedTuple

from service.webhooks.addresses import (
    Resolve,
    Target,
    UrlForbidden,
    checked_addresses,
    resolve,
    target_of,
)
from service.webhooks.vocabulary import Outcome

LONGEST_POST = 10.0
"""Seconds from the look-up of the name to the status of the answer."""


class Posted(NamedTuple):
    """How a POST ended, and with which HTTP status (None: without one)."""

    outcome: Outcome
    status: int | None = None


@cache
def system_trust() -> ssl.SSLContext:
    """Trusts whom the system trusts."""
    return ssl.create_default_context()


@dataclass(frozen=True, slots=True)
class Poster:
    """Posts to public addresses, and to this machine's own where `loopback` is on."""

    loopback: bool
    seconds: float = LONGEST_POST
    resolve: Resolve = resolve
    trust: ssl.SSLContext | None = None

    def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Posted:
        """Send a body and read the status of the answer; nothing of the answer is kept."""
        ends = time.monotonic() + self.seconds
        try:
            target = target_of(url, loopback=self.loopback)
            found = self.resolve(target.host, target.port, self.seconds)
            addresses = checked_addresses(found, loopback=self.loopback)
            connected = _connected(addresses, target.port, ends)
        except UrlForbidden:
            return Posted(Outcome.ADDRESS_FORBIDDEN)
        except TimeoutError:
            return Posted(Outcome.TIMED_OUT)
        except OSError:
            return Posted(Outcome.UNREACHABLE)
        with connected, _cut_at(connected, ends):
            try:
                posted = _judged(self._status(target, connected, headers, body))
            except ssl.SSLError:
                posted = Posted(Outcome.TLS_FAILED)
            except (OSError, HTTPException):
                posted = Posted(Outcome.UNREACHABLE)
        # A cut may look like the end of an answer's head.
        return posted if time.monotonic() < ends else Posted(Outcome.TIMED_OUT)

    def _status(
        self, target: Target, connected: socket.socket, headers: Mapping[str, str], body: bytes
    ) -> int:
        connection: HTTPConnection
        if target.is_tls:
            trust = self.trust or system_trust()
            connection = HTTPSConnection(target.host, target.port, context=trust)
            connection.sock = trust.wrap_socket(connected, server_hostname=target.host)
        else:
            connection = HTTPConnection(target.host, target.port)
            connection.sock = connected
        with contextlib.closing(connection):
            connection.request("POST", target.path, body, {**headers, "Connection": "close"})
            with connection.getresponse() as answer:
                return answer.status


def _connected(addresses: list[str], port: int, ends: float) -> socket.socket:
    fault: OSError = TimeoutError()
    for address in addresses:
        if (left := ends - time.monotonic()) <= 0:
            raise TimeoutError
        try:
            return socket.create_connection((address, port), left)
        except OSError as failed:
            fault = failed
    raise fault


@contextlib.contextmanager
def _cut_at(connected: socket.socket, ends: float) -> Iterator[None]:
    """Cut the connection at a time: one that always sends a little never times out by itself.

    It is cut by a copy, since TLS takes the socket over.
    """
    copy = connected.dup()

    def cut() -> None:
        with contextlib.suppress(OSError):
            copy.shutdown(socket.SHUT_RDWR)

    timer = Timer(max(0.0, ends - time.monotonic()), cut)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        copy.close()


def _judged(status: int) -> Posted:
    if 200 <= status < 300:
        return Posted(Outcome.DELIVERED, status)
    return Posted(Outcome.REDIRECTED if 300 <= status < 400 else Outcome.REFUSED, status)
