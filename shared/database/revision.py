"""What a revision file runs: the `.sql` file beside it, under the same name.

Alembic keeps the order and the book; the work itself stays plain SQL that a person can read
and paste. Several statements in one file go to the server in one message, which the
driver's prepared statements could not do.
"""

from pathlib import Path

from alembic import op


def run_sql(revision_file: str) -> None:
    script = Path(revision_file).with_suffix(".sql").read_text(encoding="utf-8")
    bind = op.get_bind()
    # SQLAlchemy begins its transaction with the first statement that it sees, and it does not
    # see ours: without this one, half a migration could stay behind.
    bind.exec_driver_sql("SELECT 1")
    raw = bind.connection.dbapi_connection
    if raw is None:
        raise RuntimeError("the migration's connection is gone")
    raw.run_async(lambda connection: connection.execute(script))
