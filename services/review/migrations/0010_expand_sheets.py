"""How first pages look from afar, so that the same paper is known when it is scanned again."""

from shared.database.revision import run_sql

revision = "review_0010"
down_revision = "review_0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
