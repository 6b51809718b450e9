"""Shuffles that anyone can verify once the seed is open (api.md, "Fair shuffles").

One stream per draw number r: blocks HMAC-SHA256(seed, message || counter) for counter 0, 1, …,
where message is game id, each seat's entropy (empty if none was given) and r, every part prefixed
with its length. Lengths, r and the counter are 4 bytes big-endian; ids and entropies are ASCII. A
number below k is the first byte b of the stream with b < 256 - 256 mod k, taken mod k. r = 0 draws
the first dealer, r = 1, 2, … the deck of each round, by Fisher-Yates from the last card down.
"""

import hmac
from collections.abc import Iterator, Sequence
from hashlib import sha256

from events.vocabulary import CARDS, GameId, Seat

SEED_BYTES = 32


def commitment(seed: bytes) -> str:
    """What is published of a seed when the game is created: its SHA-256, in hexadecimal."""
    return sha256(seed).hexdigest()


def first_dealer(seed: bytes, game: GameId, entropies: Sequence[str | None], players: int) -> Seat:
    """The dealer of round 1 (R6)."""
    return Seat(_below(players, _stream(seed, game, entropies, 0)))


def shuffled_deck(
    seed: bytes, game: GameId, entropies: Sequence[str | None], round_number: int
) -> list[int]:
    """The card numbers of a round's deck, in the order in which they are dealt."""
    stream = _stream(seed, game, entropies, round_number)
    deck = list(range(len(CARDS)))
    for last in range(len(deck) - 1, 0, -1):
        chosen = _below(last + 1, stream)
        deck[last], deck[chosen] = deck[chosen], deck[last]
    return deck


def decision_seed(seed: bytes, seat: Seat, version: int) -> bytes:
    """The seed of a bot's decision: HMAC(seed, "bot" || seat || version), numbers as above."""
    return hmac.digest(seed, b"bot" + _number(seat) + _number(version), "sha256")


def _stream(seed: bytes, game: GameId, entropies: Sequence[str | None], draw: int) -> Iterator[int]:
    parts = [game.encode(), *((entropy or "").encode() for entropy in entropies), _number(draw)]
    message = b"".join(_number(len(part)) + part for part in parts)
    counter = 0
    while True:
        yield from hmac.digest(seed, message + _number(counter), "sha256")
        counter += 1


def _below(limit: int, stream: Iterator[int]) -> int:
    ceiling = 256 - 256 % limit
    return next(byte for byte in stream if byte < ceiling) % limit


def _number(value: int) -> bytes:
    return value.to_bytes(4, "big")
