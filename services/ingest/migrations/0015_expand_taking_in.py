"""Documents are taken in by one call of the database."""

from shared.database.revision import run_sql

revision = "ingest_0015"
down_revision = "ingest_0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
