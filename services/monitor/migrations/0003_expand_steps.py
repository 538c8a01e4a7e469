"""Operations are stepped when they are due, and keep the ids they were given elsewhere."""

from shared.database.revision import run_sql

revision = "monitor_0003"
down_revision = "monitor_0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
