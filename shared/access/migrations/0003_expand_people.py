"""Sessions of people whom an identity provider vouches for, beside those begun with a key."""

from shared.database.revision import run_sql

revision = "access_0003"
down_revision = "access_0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
