"""Of a letter that is gone, it is known whose it was."""

from shared.database.revision import run_sql

revision = "monitor_0010"
down_revision = "monitor_0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
