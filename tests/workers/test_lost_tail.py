"""After a failover lost a log's end: versions that are given out again are told as new ones."""

import time
from typing import cast

from redis import Redis

from events.redis_store import log_key
from service.game.position import Position
from service.projections.inbox import NOTHING
from service.projections.lobby import Wanted
from service.webhooks.queues import Place, Queues
from service.webhooks.registry import Webhooks
from service.webhooks.vocabulary import Topic
from service.wiring import Services
from service.workers.bot_turn import take_bot_turns
from service.workers.follower import keep_lobby
from service.workers.inbox_notices import InboxKeeper
from service.workers.webhook_news import tell_webhooks
from tests.workers.tables import HOST, act_for_host, waiting_for_host
from tests.workers.test_follower import news


def play_a_turn(parts: Services, position: Position) -> Position:
    """The host acts, then the bot, until the host is on turn; all that is told."""
    after = act_for_host(parts.table, position)
    take_bot_turns(parts.table, after.id, after.version, 60)
    tell(parts)
    return parts.table.look(after.id)


def tell(parts: Services) -> None:
    entries = news(parts)
    tell_webhooks(parts, entries)
    InboxKeeper(parts).keep(entries)
    keep_lobby(parts, entries)


def test_what_happens_under_a_version_for_the_second_time_is_told(
    parts: Services, redis_client: Redis
) -> None:
    hook = Webhooks(parts.client).create(HOST, "http://127.0.0.1", [Topic.TURN], 1)
    before = waiting_for_host(parts.table)
    tell(parts)
    kept = cast(bytes, redis_client.dump(log_key(before.id)))
    lost = play_a_turn(parts, before)
    time.sleep(0.01)  # as a failover, which takes longer, does
    redis_client.restore(log_key(before.id), 0, kept, replace=True)
    now = play_a_turn(parts, parts.table.look(before.id))
    assert now.head != lost.head

    told = [notice for notice in parts.inbox.after(HOST, NOTHING) if notice.game == now.id]
    assert (told[-1].version, told[-1].at) == (now.version, now.updated_at)
    (summary,) = [
        item
        for item in parts.lobby.page(Wanted(player=HOST), HOST, 200).items
        if item["id"] == now.id
    ]
    assert summary["version"] == now.version
    queued = redis_client.lrange(f"pepper:{{p:{HOST}}}:webhook:{hook.id}:queue:{now.id}", 0, -1)
    assert len(cast(list[bytes], queued)) == len({*cast(list[bytes], queued)}) == 3
    assert Queues(parts.client).head(Place(HOST, hook.id, now.id)) is not None
