"""Who is reading which content just now, and which job an answer was given to."""

from shared.database.revision import run_sql

revision = "extractor_0002"
down_revision = "extractor_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
