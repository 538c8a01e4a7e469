"""What travels between services: envelopes, orders and facts, each with its version."""
