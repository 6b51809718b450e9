"""The log: what happened in every game, in order. Read vocabulary, catalogue, codec, store, feed."""
