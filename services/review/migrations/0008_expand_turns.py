"""How often an item has changed hands, so that what is told of it late finds its place."""

from shared.database.revision import run_sql

revision = "review_0008"
down_revision = "review_0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
