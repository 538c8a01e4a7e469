"""A day of the inbox is made also where one of its ids was taken before."""

from shared.database.revision import run_sql

revision = "ledger_0003"
down_revision = "ledger_0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
