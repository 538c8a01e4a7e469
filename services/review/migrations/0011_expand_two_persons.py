"""Who was the first of two persons is not lent the item again."""

from shared.database.revision import run_sql

revision = "review_0011"
down_revision = "review_0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
