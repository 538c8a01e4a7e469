"""The door that asks whether all revisions are in place may read which are."""

from shared.database.revision import run_sql

revision = "access_0004"
down_revision = "access_0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
