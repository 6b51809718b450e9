"""The decider. Read commands, state, refusals, decide, evolve, position."""
