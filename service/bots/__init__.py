"""Bots: a seat's view in, an action out. Read strategy, reading, club_play, club_auction, novice."""
