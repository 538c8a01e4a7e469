"""Documents that were made of another one's pages."""

from shared.database.revision import run_sql

revision = "ingest_0011"
down_revision = "ingest_0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
