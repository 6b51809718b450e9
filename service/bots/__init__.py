"""Bots: a seat's view in, an action out. Read strategy, reading, club, hand_value, novice."""
