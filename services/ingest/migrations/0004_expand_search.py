"""What a client says about a document beside its bytes, and indexes to find it by."""

from shared.database.revision import run_sql

revision = "ingest_0004"
down_revision = "ingest_0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
