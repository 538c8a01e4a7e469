"""Budgets that all replicas of a service share, such as calls per second to a provider."""

from pathlib import Path

MIGRATIONS = Path(__file__).parent / "migrations"
