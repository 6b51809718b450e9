"""Which bot engine a log names when a bot sits down, so that its decisions can be run again."""

from events.vocabulary import BotLevel

VERSION = "1"
"""One version chooses the same from the same view and seed, for ever."""

TAKEOVER_LEVEL = BotLevel.CLUB
"""How the bot plays that takes over from a person who left."""
