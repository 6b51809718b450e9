"""Read models that followers keep, rebuildable from the logs."""
