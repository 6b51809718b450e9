"""What an operator asks for: read legality and verify, backup and restore, doctor."""
