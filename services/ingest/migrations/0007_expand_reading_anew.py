"""Reading documents anew, erasing behind the commit, and contents nobody refers to."""

from shared.database.revision import run_sql

revision = "ingest_0007"
down_revision = "ingest_0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
