"""What clients that listen share in one process: wake-ups, and the frames of watched games."""
