"""The database, its owner, a reader and one role per service, made or brought up to date.

Only the owner may change tables; a service may connect and gets rights in its own schema from
its migrations. A database given by the user is left as it is: its one account serves all.
"""

import asyncio
from urllib.parse import urlsplit

import asyncpg

from deploy.local import tls
from deploy.local.credentials import credentials
from deploy.local.errors import StackError
from deploy.local.roles import ROLES, closing_statements, reader_statements, statements_for
from deploy.local.state import State
from shared.addresses import with_authority

CONNECT_WITHIN_S = 10.0


def provision(state: State, admin_url: str) -> None:
    asyncio.run(_provision(state, admin_url))


def revisions(owner_url: str) -> dict[str, set[str]]:
    """Per schema, the migrations it has now."""
    return asyncio.run(_revisions(owner_url))


async def connect(url: str) -> asyncpg.Connection:
    try:
        believing = with_authority(url, tls.authority())
        return await asyncpg.connect(believing, timeout=CONNECT_WITHIN_S)
    except (OSError, asyncpg.PostgresError, TimeoutError) as error:
        where = urlsplit(url)
        address = f"{where.hostname}:{where.port or 5432}{where.path}"
        raise StackError(f"No connection to PostgreSQL at {address}: {error}") from error


async def _provision(state: State, admin_url: str) -> None:
    passwords = credentials(state)
    connection = await connect(admin_url)
    try:
        for role in ROLES:
            await _role(connection, role, passwords[f"database_{role}"])
        if not await connection.fetchval("SELECT 1 FROM pg_database WHERE datname='paperline'"):
            await connection.execute("CREATE DATABASE paperline OWNER paperline")
        for statement in (*closing_statements("paperline"), *reader_statements("paperline")):
            await connection.execute(statement)
    finally:
        await connection.close()


async def _role(connection: asyncpg.Connection, role: str, password: str) -> None:
    exists = await connection.fetchval("SELECT 1 FROM pg_roles WHERE rolname = $1", role)
    for statement in statements_for(role, password, exists=bool(exists)):
        await connection.execute(statement)


async def _revisions(owner_url: str) -> dict[str, set[str]]:
    connection = await connect(owner_url)
    try:
        schemas = await connection.fetch(
            "SELECT schemaname FROM pg_tables WHERE tablename = 'alembic_version'"
        )
        found = {}
        for (schema,) in schemas:
            rows = await connection.fetch(f'SELECT version_num FROM "{schema}".alembic_version')
            found[schema] = {row[0] for row in rows}
        return found
    finally:
        await connection.close()
