"""The queue of review items, their fields, and the documents nobody wants any more."""

from shared.database.revision import run_sql

revision = "review_0001"
down_revision = None
branch_labels = ("review",)
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
