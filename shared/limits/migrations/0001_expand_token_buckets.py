"""Token buckets, in the schema of each service that shares a rate among its replicas."""

from shared.database.revision import run_sql

revision = "limits_0001"
down_revision = None
branch_labels = ("limits",)
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
