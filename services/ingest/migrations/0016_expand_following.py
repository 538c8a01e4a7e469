"""Facts are followed by one call of the database."""

from shared.database.revision import run_sql

revision = "ingest_0016"
down_revision = "ingest_0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
