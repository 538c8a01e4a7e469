"""The cache of answers by content, and the documents that were withdrawn."""

from shared.database.revision import run_sql

revision = "extractor_0001"
down_revision = None
branch_labels = ("extractor",)
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
