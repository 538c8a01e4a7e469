"""Dead letters, their replays, and what the facts have told about documents and queues."""

from shared.database.revision import run_sql

revision = "monitor_0001"
down_revision = None
branch_labels = ("monitor",)
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
