"""Role by role, statement by statement, on a real PostgreSQL with everything in it."""

from collections.abc import AsyncIterator, Sequence
from secrets import token_hex

import asyncpg
import pytest

from deploy.local.roles import (
    LIMITS,
    OWNER_CONNECTIONS_MAX,
    SERVICE_CONNECTIONS_MAX,
    statements_for,
)
from tests.broker.rights_of_roles import OWNER, ROLES, SERVICES, TABLE, Deed
from tests.broker.rights_world import Installed, installed_database

RIGHTS = ("rolsuper", "rolcreatedb", "rolcreaterole", "rolbypassrls")
DEEDS = [
    pytest.param(deed, id=f"{group}: {deed.what}")
    for group, deeds in TABLE.items()
    for deed in deeds
]


@pytest.fixture(scope="module")
async def database() -> AsyncIterator[Installed]:
    async with installed_database() as one:
        yield one


@pytest.fixture(scope="module")
async def entered(database: Installed) -> AsyncIterator[dict[str, asyncpg.Connection]]:
    connections = {}
    for role in ROLES:
        name = "paperline" if role == OWNER else f"paperline_{role}"
        connections[role] = await _entered(database, name)
    yield connections
    for connection in connections.values():
        await connection.close()


async def _entered(database: Installed, role: str) -> asyncpg.Connection:
    connection = await asyncpg.connect(database.url)
    await connection.execute(f"SET SESSION AUTHORIZATION {role}")
    return connection


@pytest.mark.parametrize("deed", DEEDS)
async def test_the_table_is_what_the_server_does(
    entered: dict[str, asyncpg.Connection], deed: Deed
) -> None:
    allowed = set()
    for role in deed.asked:
        tried = [await _may(entered[role], sql) for sql in _statements(deed, role)]
        assert len(set(tried)) == 1, f"{role} may some of: {_statements(deed, role)}"
        allowed |= {role} if tried[0] else set()

    assert allowed == deed.may & deed.asked


def _statements(deed: Deed, role: str) -> Sequence[str]:
    own = role if role in SERVICES else "ingest"
    others = [one for one in SERVICES if one != own]
    wanted = others if "{other}" in deed.sql or "{another}" in deed.sql else others[:1]
    return [deed.sql.format(own=own, other=one, another=one) for one in wanted]


async def _may(connection: asyncpg.Connection, sql: str) -> bool:
    """Whether it was allowed; what it did is undone."""
    transaction = connection.transaction()
    # Some are refused inside a transaction, but only after the right to them was asked for.
    outside = sql.startswith("ALTER SYSTEM")
    if not outside:
        await transaction.start()
    try:
        await connection.execute(sql)
    except asyncpg.InsufficientPrivilegeError:
        return False
    finally:
        if not outside:
            await transaction.rollback()
    return True


async def test_a_role_takes_no_more_of_the_server_than_is_agreed(database: Installed) -> None:
    connection = await asyncpg.connect(database.url)
    role, password = f"paperline_{token_hex(4)}", token_hex(8)
    try:
        for verb_exists in (False, True):
            for statement in statements_for(role, password, exists=verb_exists):
                await connection.execute(statement)
        row = await connection.fetchrow(
            "SELECT rolconnlimit, rolconfig, rolsuper, rolcreatedb, rolcreaterole, rolbypassrls"
            "  FROM pg_roles WHERE rolname = $1",
            role,
        )
    finally:
        await connection.execute(f"DROP ROLE {role}")
        await connection.close()

    assert row is not None
    assert row["rolconnlimit"] == SERVICE_CONNECTIONS_MAX
    assert dict(one.split("=") for one in row["rolconfig"]) == LIMITS
    assert not any(value for right, value in row.items() if right in RIGHTS)
    assert next(statements_for("paperline", "x", exists=False)).endswith(
        f"CONNECTION LIMIT {OWNER_CONNECTIONS_MAX}"
    )


async def test_nobody_else_enters_the_database(database: Installed) -> None:
    connection = await asyncpg.connect(database.url)
    stranger = f"stranger_{token_hex(4)}"
    try:
        await connection.execute(f"CREATE ROLE {stranger}")
        may = await connection.fetchval(
            "SELECT has_database_privilege($1, current_database(), 'CONNECT')", stranger
        )
    finally:
        await connection.execute(f"DROP ROLE {stranger}")
        await connection.close()

    assert may is False
