"""How each player's games ended. Sets of game ids, so that a game told twice counts once."""

from typing import NamedTuple

from redis import Redis

from events.vocabulary import GameId, PlayerId
from service.game.position import Position
from service.game.state import Aborted, Finished
from service.rules.deck import side_of


class Profile(NamedTuple):
    """How many games of a player were played to the end, won, and aborted by them."""

    finished: int
    won: int
    aborted: int


def count(client: Redis, position: Position) -> None:
    """Count a game that has ended, once for everybody it concerns."""
    for player, kind in _ends(position):
        client.sadd(_ended_key(player, kind), position.id)


def profile(client: Redis, player: PlayerId) -> Profile:
    """The counts of a player."""
    with client.pipeline(transaction=False) as pipeline:
        for kind in Profile._fields:
            pipeline.scard(_ended_key(player, kind))
        return Profile(*pipeline.execute())


def discount(client: Redis, player: PlayerId, game: GameId) -> None:
    """Count a game for a player no more."""
    for key in counts_of(player):
        client.srem(key, game)


def counts_of(player: PlayerId) -> list[str]:
    """The keys of a player's counts."""
    return [_ended_key(player, kind) for kind in Profile._fields]


def _ends(position: Position) -> set[tuple[PlayerId, str]]:
    game, setup = position.game, position.game.setup
    if isinstance(game, Aborted):
        return {(setup.creator, "aborted")}
    if not isinstance(game, Finished):
        return set()
    ends = set()
    for seat, place in enumerate(setup.places):
        if place.player is not None:
            ends.add((place.player, "finished"))
            if side_of(seat, setup.players) in game.winners:
                ends.add((place.player, "won"))
    return ends


def _ended_key(player: PlayerId, kind: str) -> str:
    return f"pepper:{{p:{player}}}:{kind}"
