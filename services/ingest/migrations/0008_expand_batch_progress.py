"""The progress of a batch is rounded down."""

from shared.database.revision import run_sql

revision = "ingest_0008"
down_revision = "ingest_0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
