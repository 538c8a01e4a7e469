"""Which pages an item has, and of which contents something drawn is kept."""

from shared.database.revision import run_sql

revision = "review_0005"
down_revision = "review_0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
