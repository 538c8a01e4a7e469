"""Who waits for the broker and who is with it, whose turn it is, and what was swept."""

from shared.database.revision import run_sql

revision = "ingest_0003"
down_revision = "ingest_0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
