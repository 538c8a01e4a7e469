"""By which rules an invoice's keys were made, so that older ones are found and made anew."""

from shared.database.revision import run_sql

revision = "review_0009"
down_revision = "review_0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
