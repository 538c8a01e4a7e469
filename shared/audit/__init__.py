"""Who did what, when and why: written with the deed, never changed, and provably so."""

from pathlib import Path

MIGRATIONS = Path(__file__).parent / "migrations"
