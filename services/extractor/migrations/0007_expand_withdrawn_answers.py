"""Bytes of withdrawn documents that are still to be erased."""

from shared.database.revision import run_sql

revision = "extractor_0007"
down_revision = "extractor_0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
