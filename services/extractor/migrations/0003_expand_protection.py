"""What protects a provider, for all replicas: its breaker, and what is spent on it per day."""

from shared.database.revision import run_sql

revision = "extractor_0003"
down_revision = "extractor_0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
