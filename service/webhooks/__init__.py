"""Webhooks: vocabulary, registry, addresses; then news, queues, signing, posting and deliveries."""
