"""What a key may hand in within a day, and signing out at every service."""

from shared.database.revision import run_sql

revision = "access_0002"
down_revision = "access_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
