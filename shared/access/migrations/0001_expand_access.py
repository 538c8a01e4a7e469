"""Keys, sessions and revocations, in the one schema that all services read."""

from shared.database.revision import run_sql

revision = "access_0001"
down_revision = None
branch_labels = ("access",)
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
