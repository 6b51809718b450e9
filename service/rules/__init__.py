"""The rules of Pepper, pure. Read house_rules, ranking, auction, trick, scoring, fair_shuffle."""

VERSION = 1
"""The rules version that new games are played by; a game replays under its own for ever."""
