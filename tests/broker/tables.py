"""A schema as its migrations leave it, made in one go: most of these tests begin with one.

Alembic gives every revision its own transaction and its line in the book, which took longer
than what the tests then do. Here the same files go to the server as one message, in the same
order; `test_database_migrations` holds what comes of both against each other.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import asyncpg
from alembic.script import ScriptDirectory

from shared.database.migrations import GRANTS

BOOK = """
CREATE TABLE alembic_version (
    version_num varchar(32) NOT NULL CONSTRAINT alembic_version_pkc PRIMARY KEY);
INSERT INTO alembic_version VALUES
"""


async def make_tables(
    connection: asyncpg.Connection,
    *,
    schema: str,
    locations: Sequence[Path],
    role: str | None = None,
) -> None:
    """All or nothing, as the owner of the database."""
    async with connection.transaction():
        await connection.execute(f"CREATE SCHEMA {schema}; SET LOCAL search_path TO {schema}")
        await connection.execute(_script(tuple(locations)))
        if role is not None:
            grants = await connection.fetch(GRANTS, schema, role)
            await connection.execute(";".join(one["command"] for one in grants))


async def make_tables_at(database_url: str, *, schema: str, locations: Sequence[Path]) -> None:
    connection = await asyncpg.connect(database_url)
    try:
        await make_tables(connection, schema=schema, locations=locations)
    finally:
        await connection.close()


@cache
def _script(locations: tuple[Path, ...]) -> str:
    folders = [str(one) for one in locations]
    scripts = ScriptDirectory(folders[0], version_locations=folders)
    # From the newest to the oldest.
    revisions = [Path(one.path) for one in scripts.walk_revisions()]
    texts = [one.with_suffix(".sql").read_text(encoding="utf-8") for one in reversed(revisions)]
    heads = ", ".join(f"('{head}')" for head in scripts.get_heads())
    return "\n".join([*texts, BOOK, heads])
