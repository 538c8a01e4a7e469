"""What operators last said of each queue."""

from shared.database.revision import run_sql

revision = "ledger_0002"
down_revision = "ledger_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
