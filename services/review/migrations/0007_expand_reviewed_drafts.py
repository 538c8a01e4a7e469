"""What was written for a decision that nobody has committed yet."""

from shared.database.revision import run_sql

revision = "review_0007"
down_revision = "review_0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
