"""The audit log, in the schema of each service in which people act."""

from shared.database.revision import run_sql

revision = "audit_0001"
down_revision = None
branch_labels = ("audit",)
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
