"""What a server's URL says: one server, a cluster of them, or the one that Sentinels choose.

`redis://`, `rediss://` and `unix://` are redis-py's own. `redis+cluster://host:port,host:port`
names some nodes of a cluster, `redis+sentinel://host:port,host:port/service` some Sentinels; with
`rediss+…` all of it goes over TLS. User, password and options (`?…`) are those of `redis://`, and
hold for every node; Sentinels have `sentinel_username` and `sentinel_password`.
"""

from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import parse_qsl, urlencode, urlsplit

from redis.connection import parse_url

Kind = Literal["single", "cluster", "sentinel"]
SINGLE = frozenset({"redis", "rediss", "unix"})
_OWN = ("sentinel_username", "sentinel_password")


class UrlMalformed(ValueError):
    """This is no URL of a server; the message says why, and repeats no password."""


@dataclass(frozen=True, slots=True)
class ServerUrl:
    """A server: how its nodes are connected to, and which they are.

    `url` leads to a single server or a cluster's first node; `options` are the connection's, those
    of the first address included; `sentinel_options` those of connections to Sentinels.
    """

    kind: Kind
    url: str
    addresses: tuple[tuple[str, int], ...]
    options: dict[str, Any]
    service: str = ""
    sentinel_options: dict[str, Any] = field(default_factory=dict)

    @property
    def is_encrypted(self) -> bool:
        """Whether the nodes are spoken to over TLS."""
        return self.url.startswith("rediss:")


def server_url(text: str) -> ServerUrl:
    """What a URL says; raises UrlMalformed."""
    scheme, _, rest = text.partition("://")
    base, _, kind = scheme.partition("+")
    try:
        if scheme in SINGLE:
            return ServerUrl("single", text, (), dict(parse_url(text)))  # type: ignore[no-untyped-call]
        if base not in ("redis", "rediss") or kind not in ("cluster", "sentinel"):
            raise UrlMalformed(f"no server's URL begins with {scheme}://")
        return _of_many(base, kind == "sentinel", rest)
    except UrlMalformed:
        raise
    except ValueError as fault:
        raise UrlMalformed("the URL of a server is malformed") from fault


def _of_many(base: str, is_sentinel: bool, rest: str) -> ServerUrl:  # noqa: FBT001  (private)
    parts = urlsplit(f"//{rest}")
    user, at, hosts = parts.netloc.rpartition("@")
    addresses = tuple(_address(each) for each in hosts.split(","))
    service, _, database = parts.path.strip("/").partition("/")
    given = dict(parse_qsl(parts.query))
    own = {name.removeprefix("sentinel_"): given.pop(name) for name in _OWN if name in given}
    if is_sentinel != bool(service):
        raise UrlMalformed(
            "a Sentinel's URL ends with /<service>, a cluster's with its last address"
        )
    query = f"?{urlencode(given)}" if given else ""
    host, port = addresses[0]
    first = f"{base}://{user}{at}{host}:{port}/{database}{query}"
    options = dict(parse_url(first))  # type: ignore[no-untyped-call]
    kind: Kind = "sentinel" if is_sentinel else "cluster"
    return ServerUrl(kind, first, addresses, options, service, own)


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit():
        raise UrlMalformed("each server is <host>:<port>, with commas between them")
    return host, int(port)
