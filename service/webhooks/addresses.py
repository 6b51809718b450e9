"""Where a webhook may lead: to public addresses only, never into the network of the service."""

import re
import socket
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from queue import Empty, SimpleQueue
from threading import Thread
from typing import NamedTuple
from urllib.parse import urlsplit

LONGEST_URL = 2000
Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int, float], Sequence[str]]
"""The addresses of a name at a port, found within some seconds; raises OSError."""

_HOST = re.compile(r"[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*\.?")
_NUMERIC = re.compile(r"([0-9]+|0[xX][0-9A-Fa-f]*)\.?")
_VISIBLE = re.compile(r"[\x21-\x7e]+")
_GLOBAL_V6 = ip_network("2000::/3")
_NOT_PUBLIC = (
    ip_network("192.0.0.0/24"),  # IETF protocol assignments
    ip_network("192.88.99.0/24"),  # 6to4 relays
    ip_network("2001::/23"),  # IETF protocol assignments, Teredo among them
    ip_network("2001:db8::/32"),  # documentation
    ip_network("2002::/16"),  # 6to4, which carries any IPv4 address
    ip_network("3fff::/20"),  # documentation
)
"""What ipaddress takes for global and is not, or was not in all of its releases."""


class UrlForbidden(ValueError):
    """No webhook may lead there; the message says why."""


class Target(NamedTuple):
    """A webhook's URL in its parts; `host` is without brackets, `path` with its query."""

    is_tls: bool
    host: str
    port: int
    path: str


def target_of(url: str, *, loopback: bool) -> Target:
    """The parts of a URL, if a webhook may have it; raises UrlForbidden.

    A name is looked up when something is delivered, since it may lead elsewhere by then.
    """
    if len(url) > LONGEST_URL or not _VISIBLE.fullmatch(url):
        raise UrlForbidden(f"A URL is at most {LONGEST_URL} visible ASCII characters.")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise UrlForbidden("This is no URL.") from None
    if parts.scheme != "https" and not (loopback and parts.scheme == "http"):
        raise UrlForbidden("The URL must begin with https://.")
    if "@" in parts.netloc or "#" in url or "\\" in url or port == 0:
        raise UrlForbidden("Leave out user, fragment and backslashes; a port is 1 to 65535.")
    _check_host(host, loopback=loopback)
    is_tls = parts.scheme == "https"
    path = parts.path or "/"
    return Target(
        is_tls,
        host,
        port or (443 if is_tls else 80),
        f"{path}?{parts.query}" if parts.query else path,
    )


def _check_host(host: str, *, loopback: bool) -> None:
    literal = _literal(host)
    if literal is not None:
        if not is_allowed(literal, loopback=loopback):
            raise UrlForbidden(f"{host} is not a public address.")
        return
    last_label = host.removesuffix(".").rpartition(".")[2]
    if not _HOST.fullmatch(host) or len(host) > 253 or _NUMERIC.fullmatch(last_label):
        raise UrlForbidden("The host is neither a name nor an address.")
    if last_label.lower() == "localhost" and not loopback:
        raise UrlForbidden("localhost is not a public address.")


def _literal(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def is_allowed(address: Address, *, loopback: bool) -> bool:
    """Whether a webhook may reach an address: a public one, or a loopback one where that is on."""
    if loopback and address.is_loopback:
        return True
    if isinstance(address, IPv6Address) and address not in _GLOBAL_V6:
        return False
    is_odd = address.is_multicast or address.is_reserved or not address.is_global
    return not is_odd and not any(address in network for network in _NOT_PUBLIC)


def checked_addresses(addresses: Sequence[str], *, loopback: bool) -> list[str]:
    """The same addresses if every one may be reached; else, or if there are none, UrlForbidden.

    One bad address condemns all: an honest name does not lead both outside and inside.
    """
    literals = [_literal(address) for address in addresses]
    if not literals or not all(
        literal is not None and is_allowed(literal, loopback=loopback) for literal in literals
    ):
        raise UrlForbidden("The name leads to an address that is not public.")
    return [str(literal) for literal in literals]


def resolve(host: str, port: int, seconds: float) -> list[str]:
    """The addresses of a name by the system's resolver; raises OSError, TimeoutError.

    The resolver keeps its own time, so it is asked in a thread that may outlive the answer.
    """
    answers: SimpleQueue[list[str] | OSError] = SimpleQueue()

    def ask() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            answers.put([str(address[0]) for *_kind, address in found])
        except OSError as fault:
            answers.put(fault)
        except UnicodeError:
            answers.put(OSError(f"{host} is no name"))

    Thread(target=ask, daemon=True, name="resolver").start()
    try:
        answer = answers.get(timeout=seconds)
    except Empty:
        raise TimeoutError(f"no addresses of {host} in time") from None
    if isinstance(answer, OSError):
        raise answer
    return answer
