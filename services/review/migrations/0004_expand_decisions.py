"""Decisions that are taken back, that name a duplicate, or that split a file."""

from shared.database.revision import run_sql

revision = "review_0004"
down_revision = "review_0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
