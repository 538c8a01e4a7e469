"""Who is calling and what they may do: one schema that every service reads.

Only ingest writes it. A key that is revoked there dies in every service within seconds, and a
sign-in at one page holds at all of them.
"""

from pathlib import Path

MIGRATIONS = Path(__file__).parent / "migrations"
