"""Everything that thinks. Read rules, game, views, table, then api and workers."""
