"""The original among many copies is found without looking at each."""

from shared.database.revision import run_sql

revision = "ingest_0014"
down_revision = "ingest_0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
