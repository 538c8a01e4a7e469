"""What each version's JSON was when it was kept can be told from what it is."""

from shared.database.revision import run_sql

revision = "storage_0007"
down_revision = "storage_0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
