"""What was seen of issuers, one row per document."""

from shared.database.revision import run_sql

revision = "extractor_0004"
down_revision = "extractor_0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
