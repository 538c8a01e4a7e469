"""Inbox and outbox: what we handled and what we owe, in one transaction with the state."""
