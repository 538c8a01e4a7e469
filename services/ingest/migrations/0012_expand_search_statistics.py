"""How common the beginnings of names are, so that a search for a rare one reads an index."""

from shared.database.revision import run_sql

revision = "ingest_0012"
down_revision = "ingest_0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
