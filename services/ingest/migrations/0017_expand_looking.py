"""A round of releases reads a few of those who wait, however many there are."""

from shared.database.revision import run_sql

revision = "ingest_0017"
down_revision = "ingest_0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
