"""Which bytes were erased, and which documents a content has."""

from shared.database.revision import run_sql

revision = "ingest_0002"
down_revision = "ingest_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
