"""The documents of all clients, their timeline, and the keys under which clients repeat."""

from shared.database.revision import run_sql

revision = "ingest_0001"
down_revision = None
branch_labels = ("ingest",)
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
