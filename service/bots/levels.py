"""The levels of the service's bots, as clients see them."""

from events.vocabulary import BotLevel
from service.game import bot_engine

LEVELS = [
    {
        "level": BotLevel.NOVICE.value,
        "engine": bot_engine.VERSION,
        "description": "Plays legal, plausible cards and bids shyly.",
    },
    {
        "level": BotLevel.CLUB.value,
        "engine": bot_engine.VERSION,
        "description": "Counts trumps and voids, bids by hand value, plays with its partner.",
    },
]
