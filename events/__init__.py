"""The log: what happened in every game. Read vocabulary, catalogue, codec, store, feed."""
