"""What `make check` runs, and what anybody may run without the service."""
