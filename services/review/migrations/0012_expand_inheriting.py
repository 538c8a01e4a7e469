"""Nearly no content has a lock, and then no field has to be held against one."""

from shared.database.revision import run_sql

revision = "review_0012"
down_revision = "review_0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
