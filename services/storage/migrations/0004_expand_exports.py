"""What is exported and handed over: an index of current results, jobs, consumers, batches."""

from shared.database.revision import run_sql

revision = "storage_0004"
down_revision = "storage_0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
