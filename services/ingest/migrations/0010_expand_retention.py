"""Documents have a time after which they are erased, and may be held beyond it."""

from shared.database.revision import run_sql

revision = "ingest_0010"
down_revision = "ingest_0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
