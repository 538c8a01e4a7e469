"""What stands against approving an item without a person, and whether anything does."""

from shared.database.revision import run_sql

revision = "review_0006"
down_revision = "review_0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
