"""Letters are found by what they say and by the job they were."""

from shared.database.revision import run_sql

revision = "monitor_0008"
down_revision = "monitor_0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
