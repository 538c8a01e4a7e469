"""What a document asks of the database in one go, as functions."""

from shared.database.revision import run_sql

revision = "extractor_0008"
down_revision = "extractor_0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
