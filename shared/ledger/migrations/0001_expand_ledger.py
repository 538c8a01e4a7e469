"""The ledger's tables, in every service's schema."""

from shared.database.revision import run_sql

revision = "ledger_0001"
down_revision = None
branch_labels = ("ledger",)
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
