"""What is recorded twice, late or after a crash; profiles; and rebuilding all of it."""

from typing import cast

from redis import Redis

from service.game.commands import AbortGame
from service.game.state import Finished
from service.projections.profiles import Profile
from service.wiring import Services
from service.workers.rebuild import INBOXES, PATTERNS, rebuild
from tests.projections.listing import create, finish, listed, position_of, sit
from tests.scenario import ALICE, BOB, CAROL


def test_an_end_counts_once_however_often_it_is_told(parts: Services) -> None:
    running = sit(parts, create(parts), BOB)
    over = finish(parts, running)
    assert isinstance(over.game, Finished)
    for position in (over, running, over, over):
        parts.lobby.record(position)
    won = [int(side in over.game.winners) for side in (0, 1)]
    assert parts.lobby.profile(ALICE) == Profile(1, won[0], 0)
    assert parts.lobby.profile(BOB) == Profile(1, won[1], 0)
    assert sum(won) >= 1
    assert parts.lobby.profile(CAROL) == Profile(0, 0, 0)


def test_an_abort_counts_once_and_for_the_creator_alone(parts: Services) -> None:
    game = sit(parts, create(parts, "me", "open", "open"), BOB)
    aborted = position_of(parts.table.act(game.id, AbortGame(ALICE)))
    for _ in range(3):
        parts.lobby.record(aborted)
    assert parts.lobby.profile(ALICE) == Profile(0, 0, 1)
    assert parts.lobby.profile(BOB) == Profile(0, 0, 0)


def test_a_crash_before_the_summary_heals_when_told_again(
    parts: Services, redis_client: Redis
) -> None:
    game = create(parts)
    (key,) = redis_client.keys("pepper:{?}:summary:*")
    redis_client.delete(key)
    assert listed(parts.lobby) == set()
    parts.lobby.record(game)
    assert listed(parts.lobby) == {game.id}


def everything(client: Redis) -> dict[bytes, bytes | None]:
    """What a server holds of the lists."""
    patterns = [pattern for pattern in PATTERNS if pattern not in INBOXES]
    keys = [key for pattern in patterns for key in cast(list[bytes], client.keys(pattern))]
    return {key: client.dump(key) for key in keys}


def test_rebuilt_lists_are_those_that_were_kept(parts: Services, redis_client: Redis) -> None:
    create(parts)
    finish(parts, sit(parts, create(parts), BOB))
    parts.lobby.record(position_of(parts.table.act(create(parts).id, AbortGame(ALICE))))
    sit(parts, create(parts, "me", "open", "bot", visibility="unlisted"), CAROL)
    kept = everything(redis_client)
    assert len(kept) > 10
    redis_client.zadd("pepper:{lobby}:games", {"g_0nosuchgame": 1})
    redis_client.sadd("pepper:{p:p_bob}:won", "g_0nosuchgame")
    assert rebuild(parts) == 4
    assert everything(redis_client) == kept
