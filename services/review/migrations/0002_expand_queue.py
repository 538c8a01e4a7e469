"""An item's rank, its due time, who it is for, how long it was held; and the reviewers."""

from shared.database.revision import run_sql

revision = "review_0002"
down_revision = "review_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
