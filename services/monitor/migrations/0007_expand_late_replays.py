"""Until when a letter can be replayed, when it goes, and what was begun before what."""

from shared.database.revision import run_sql

revision = "monitor_0007"
down_revision = "monitor_0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
