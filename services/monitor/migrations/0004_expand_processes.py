"""Which processes there are and how their services stand; pauses that end by themselves."""

from shared.database.revision import run_sql

revision = "monitor_0004"
down_revision = "monitor_0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
