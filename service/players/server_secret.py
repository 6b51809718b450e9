"""What the server alone knows: ids and secrets that follow from it can be made again."""

import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable
from typing import cast

from redis import Redis

_KEY = "pepper:{secret}"
_BYTES = 32
Draw = Callable[[str], bytes]
"""Gives 32 bytes that nobody guesses, for a purpose."""


class ServerSecret:
    """32 random bytes, made once for all processes and kept in the store."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._bytes: bytes | None = None

    def derive(self, purpose: str, *parts: str) -> bytes:
        """32 bytes that follow from the parts and tell nothing of them (HMAC-SHA-256, RFC 2104)."""
        said = b"".join(
            len(part.encode()).to_bytes(4, "big") + part.encode() for part in (purpose, *parts)
        )
        return hmac.digest(self._known(), said, "sha256")

    def _known(self) -> bytes:
        if self._bytes is None:
            self._client.set(_KEY, secrets.token_bytes(_BYTES), nx=True)
            self._bytes = cast(bytes, self._client.get(_KEY))
        return self._bytes


def at_random(_purpose: str) -> bytes:
    """A draw that never gives the same again."""
    return secrets.token_bytes(_BYTES)


def text(derived: bytes) -> str:
    """Derived bytes as characters for an id or a secret."""
    return urlsafe_b64encode(derived).decode().rstrip("=")
