"""An issuer is found by any of its identities, and a person's word is kept apart."""

from shared.database.revision import run_sql

revision = "extractor_0005"
down_revision = "extractor_0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql(__file__)
