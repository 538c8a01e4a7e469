"""Where owners want to be told, what they are told, and how each attempt went."""

from shared.database.revision import run_sql

revision = "ingest_0006"
down_revision = "ingest_0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
