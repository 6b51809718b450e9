"""Telling webhooks: from the feed's entries to the messages that wait to be delivered."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby

from events.feed import FeedEntry
from events.vocabulary import GameId, PlayerId
from service.webhooks.news import News, news_of, persons_of
from service.webhooks.queues import Message, Queues, message_body, message_id
from service.webhooks.registry import Webhook, Webhooks
from service.wiring import Services
from service.workers.reading import readable


def tell_webhooks(parts: Services, entries: Sequence[FeedEntry]) -> None:
    """Let what these appends tell wait for the webhooks that asked for it."""
    versions: dict[GameId, set[int]] = defaultdict(set)
    for entry in entries:
        versions[entry.game].add(entry.version)
    for position in readable(parts.table, versions):
        hooks = _enabled(parts, persons_of(position.game))
        if hooks:
            _tell(parts, position.id, versions[position.id], hooks)


def _enabled(parts: Services, persons: Collection[PlayerId]) -> list[Webhook]:
    if not persons:
        return []
    held = Webhooks(parts.client).of_all(persons)
    return [hook for hooks in held.values() for hook in hooks if hook.disabled is None]


def _tell(
    parts: Services, game: GameId, versions: Collection[int], hooks: Iterable[Webhook]
) -> None:
    queues, told = Queues(parts.client), list(news_of(game, parts.table.log(game), versions))
    for hook in hooks:
        wanted = [news for news in told if news.player == hook.player and news.topic in hook.topics]
        for (version, at), group in groupby(wanted, key=lambda news: (news.version, news.at)):
            queues.push(hook, game, version, at, [_message(hook, game, news) for news in group])


def _message(hook: Webhook, game: GameId, news: News) -> Message:
    body = message_body(
        news.topic,
        news.player,
        news.at,
        game=game,
        version=news.version,
        seat=news.seat,
        deadline=news.deadline,
    )
    return Message(message_id(hook.id, game, news.version, news.at, news.topic), body)
