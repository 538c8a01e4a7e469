"""The use of quotas per day, in the schema of each service that shares budgets."""

from shared.database.revision import run_sql

revision = "limits_0002"
down_revision = "limits_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
