"""An erasure is reported when the last copy is gone, which may be in the file of a day."""

from shared.database.revision import run_sql

revision = "storage_0005"
down_revision = "storage_0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
