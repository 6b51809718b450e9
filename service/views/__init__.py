"""The only door out of the state. Read shapes, seat_view, event_view, replay_view."""
