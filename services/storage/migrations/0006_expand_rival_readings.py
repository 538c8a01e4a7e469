"""Two readings that are to replace the same version are two versions."""

from shared.database.revision import run_sql

revision = "storage_0006"
down_revision = "storage_0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
