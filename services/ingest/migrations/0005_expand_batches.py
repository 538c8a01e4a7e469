"""Batches that can be listed, watched, advanced from outside and deleted."""

from shared.database.revision import run_sql

revision = "ingest_0005"
down_revision = "ingest_0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
