"""A person's values and their locks, what the rules found, and by what twins are recognised."""

from shared.database.revision import run_sql

revision = "review_0003"
down_revision = "review_0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
