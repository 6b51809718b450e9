"""The service from a terminal: play, simulate, replay."""
