"""By which engine a document is to be read anew, and whose hands its item is in."""

from shared.database.revision import run_sql

revision = "ingest_0013"
down_revision = "ingest_0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
