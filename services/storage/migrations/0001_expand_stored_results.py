"""Every version of every result, and what is published of it."""

from shared.database.revision import run_sql

revision = "storage_0001"
down_revision = None
branch_labels = ("storage",)
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
