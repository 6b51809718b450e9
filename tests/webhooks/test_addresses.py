"""Which addresses a webhook may reach: nothing inside, by whatever spelling or carrier."""

import socket
import threading
from ipaddress import ip_address

import pytest

from service.webhooks.addresses import (
    Target,
    UrlForbidden,
    checked_addresses,
    is_allowed,
    resolve,
    target_of,
)

FORBIDDEN = [
    "0.0.0.0",  # noqa: S104  (nobody listens there)
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.0.9",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:0:7f00:1::1",
    "2001:10::1",
    "2001:20::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2002:808:808::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
]
PUBLIC = ["1.1.1.1", "8.8.8.8", "93.184.216.34", "172.32.0.1", "2606:4700::1111", "2a00:1450::1"]
TLS, PLAIN = True, False
LOOPBACK = ["127.0.0.1", "127.1.2.3", "::1"]


@pytest.mark.parametrize("address", FORBIDDEN)
def test_an_address_that_is_not_public_is_forbidden(address: str) -> None:
    assert not is_allowed(ip_address(address), loopback=False)
    is_own = address == "::1" or address.startswith("127.")
    assert is_allowed(ip_address(address), loopback=True) == is_own


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_allowed(address: str) -> None:
    assert is_allowed(ip_address(address), loopback=False)


@pytest.mark.parametrize("address", LOOPBACK)
def test_loopback_is_allowed_where_it_is_on(address: str) -> None:
    assert is_allowed(ip_address(address), loopback=True)


@pytest.mark.parametrize(
    "found", [[], ["8.8.8.8", "10.0.0.1"], ["::1", "8.8.8.8"], ["fe80::1%2"], ["nonsense"]]
)
def test_one_bad_address_condemns_all(found: list[str]) -> None:
    with pytest.raises(UrlForbidden):
        checked_addresses(found, loopback=False)


def test_public_addresses_stay_as_they_are() -> None:
    assert checked_addresses(PUBLIC, loopback=False) == PUBLIC


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://a.example", Target(TLS, "a.example", 443, "/")),
        ("https://a.example:8443/b?c=d", Target(TLS, "a.example", 8443, "/b?c=d")),
        ("https://[2606:4700::1]?c", Target(TLS, "2606:4700::1", 443, "/?c")),
        ("http://localhost:81/", Target(PLAIN, "localhost", 81, "/")),
        ("http://127.0.0.1/x", Target(PLAIN, "127.0.0.1", 80, "/x")),
    ],
)
def test_the_parts_of_a_url(url: str, target: Target) -> None:
    assert target_of(url, loopback=True) == target


@pytest.mark.parametrize("url", ["http://10.0.0.1/", "https://192.168.1.1/", "gopher://127.0.0.1/"])
def test_loopback_opens_nothing_else(url: str) -> None:
    with pytest.raises(UrlForbidden):
        target_of(url, loopback=True)


def test_names_are_found_by_the_systems_resolver() -> None:
    assert set(resolve("localhost", 80, 10)) & {"127.0.0.1", "::1"}
    assert resolve("2130706433", 80, 10) == ["127.0.0.1"]


def test_a_name_that_is_none_is_an_error() -> None:
    with pytest.raises(OSError, match=r".+"):
        resolve("no-such-name.invalid", 80, 10)


def test_a_resolver_that_takes_too_long_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test can make the system's resolver slow, so it is replaced."""
    answered = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_asked, **_how: answered.wait(10) and [])
    with pytest.raises(TimeoutError):
        resolve("bot.example.org", 80, 0.05)
    answered.set()
