"""Operations over many letters at once, and what people say of a group of failures."""

from shared.database.revision import run_sql

revision = "monitor_0002"
down_revision = "monitor_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
