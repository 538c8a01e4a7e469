"""Documents are read anew: each version has a natural key, and its number is given first."""

from shared.database.revision import run_sql

revision = "storage_0002"
down_revision = "storage_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
