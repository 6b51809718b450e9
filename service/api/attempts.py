"""Requests under an `Idempotency-Key` that make players, tokens, codes and webhooks."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from service.api.idempotency import fingerprint, key_asked
from service.api.problems import Problem
from service.api.services import current
from service.players.accounts import Caller
from service.players.requests import Begun, Requests
from service.players.server_secret import Draw, at_random

FEWEST_UNPREDICTABLE = 22
"""Characters of a key that nobody guesses, where no token says who asks."""


class Attempt(NamedTuple):
    """One coming of a request that makes ids or secrets.

    `at`: when it came first, in milliseconds since 1970. `draw` gives 32 bytes for a purpose: the
    same at each coming, and random without a key. `is_done`: answer it, and do nothing.
    """

    at: int
    draw: Draw
    is_done: bool = False

    @property
    def headers(self) -> dict[str, str]:
        """What the answer says of it."""
        return {"Idempotent-Replayed": "true"} if self.is_done else {}


@contextmanager
def attempt(who: Caller | None) -> Iterator[Attempt]:
    """A request of a player's, or of one who is not known yet; a Problem inside refuses it.

    Whatever else is raised leaves it begun: what it may have done is found and done again.
    """
    key, parts = key_asked(), current()
    if key is None:
        yield Attempt(parts.table.now(), at_random)
        return
    if who is None and len(key) < FEWEST_UNPREDICTABLE:
        raise Problem("malformed-header", "Idempotency-Key: here, 22 random characters or more.")
    # A weaker token of the same player must not be given the secrets of a stronger one.
    player, asked = (who.player, fingerprint(who.token_id)) if who else (None, fingerprint())
    requests = Requests(parts.client)
    begun = requests.begin(player, key, asked, parts.table.now())
    try:
        yield Attempt(begun.at, _draw(key, begun), begun.is_done)
    except Problem:
        requests.refused(begun)
        raise
    if not begun.is_done:
        requests.done(begun)


def _draw(key: str, begun: Begun) -> Draw:
    """Follows from what and when too: a key used again after its day makes something new."""
    secret = current().secret
    return lambda purpose: secret.derive(purpose, begun.place, key, begun.asked.hex())
