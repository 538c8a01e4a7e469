"""Facts are followed by one call of the database."""

from shared.database.revision import run_sql

revision = "monitor_0009"
down_revision = "monitor_0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
