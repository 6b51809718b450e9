"""HTTP: requests into commands, positions into answers. Read problems, auth, schemas, app."""
