"""What was told of each document, kept for its timeline and for the proof that none is lost."""

from shared.database.revision import run_sql

revision = "monitor_0005"
down_revision = "monitor_0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
