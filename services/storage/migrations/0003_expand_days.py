"""What a day shows: measured files, changes since its manifest, its compacted file."""

from shared.database.revision import run_sql

revision = "storage_0003"
down_revision = "storage_0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
