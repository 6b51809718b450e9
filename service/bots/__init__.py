"""Bots: a seat's view in, an action out. Read turn, strategy, reading, club, novice."""
