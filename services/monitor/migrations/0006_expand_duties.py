"""What is done now and then by one monitor for all, and when a document came to its end."""

from shared.database.revision import run_sql

revision = "monitor_0006"
down_revision = "monitor_0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
