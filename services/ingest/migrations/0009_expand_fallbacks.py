"""What was read while the provider was away is found at once."""

from shared.database.revision import run_sql

revision = "ingest_0009"
down_revision = "ingest_0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
