"""What our own engine made of a content, kept while its document waits for the provider."""

from shared.database.revision import run_sql

revision = "extractor_0006"
down_revision = "extractor_0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
