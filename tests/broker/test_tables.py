"""What most tests begin with is what the migrations make: to the last right and comment."""

from collections.abc import AsyncIterator
from secrets import token_hex

import asyncpg
import pytest

import shared.audit
import shared.ledger
import shared.limits
from shared.database.migrations import migrate
from tests.broker.database import migrations_of
from tests.broker.tables import make_tables
from tests.house.repository import ROOT, SERVICES

SHARED = (shared.ledger, shared.audit, shared.limits)
MADE = """
SELECT 'relation' AS kind, relname::text AS name,
       concat_ws(' ', relkind, reloptions::text, obj_description(oid), relacl::text,
                 pg_get_viewdef(oid), pg_get_partkeydef(oid),
                 pg_get_expr(relpartbound, oid)) AS told
  FROM pg_class WHERE relnamespace = to_regnamespace($1)
UNION ALL
SELECT 'column', attrelid::regclass || '.' || attname,
       concat_ws(' ', format_type(atttypid, atttypmod), attnotnull, attidentity, attstorage,
                 attstattarget, pg_get_expr(adbin, adrelid), col_description(attrelid, attnum))
  FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
       LEFT JOIN pg_attrdef ON (adrelid, adnum) = (attrelid, attnum)
 WHERE relnamespace = to_regnamespace($1) AND attnum > 0
UNION ALL
SELECT 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
  FROM pg_constraint WHERE connamespace = to_regnamespace($1)
UNION ALL
SELECT 'index', indexrelid::regclass::text, pg_get_indexdef(indexrelid)
  FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
 WHERE relnamespace = to_regnamespace($1)
UNION ALL
SELECT 'trigger', tgrelid::regclass || '.' || tgname, pg_get_triggerdef(pg_trigger.oid)
  FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
 WHERE relnamespace = to_regnamespace($1) AND NOT tgisinternal
UNION ALL
SELECT 'routine', oid::regprocedure::text,
       concat_ws(' ', pg_get_functiondef(oid), proacl::text)
  FROM pg_proc WHERE pronamespace = to_regnamespace($1) AND prokind <> 'a'
UNION ALL
SELECT 'statistics', stxname::text, pg_get_statisticsobjdef(oid)
  FROM pg_statistic_ext WHERE stxnamespace = to_regnamespace($1)
UNION ALL
SELECT 'schema', '', nspacl::text FROM pg_namespace WHERE oid = to_regnamespace($1)
 ORDER BY 1, 2, 3
"""


@pytest.fixture
async def connection(database_url: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(database_url)
    yield connection
    await connection.close()


@pytest.mark.parametrize("service", SERVICES)
async def test_they_are_what_the_migrations_make(
    service: str, connection: asyncpg.Connection, database_url: str
) -> None:
    slow, fast, role = (f"{kind}_{token_hex(4)}" for kind in ("slow", "fast", "role"))
    folders = [migrations_of(one) for one in SHARED] + [ROOT / f"services/{service}/migrations"]
    await connection.execute(f"CREATE ROLE {role}")

    await migrate(database_url, schema=slow, locations=folders, role=role)
    await make_tables(connection, schema=fast, locations=folders, role=role)

    expected, found = await made(connection, slow), await made(connection, fast)
    await connection.execute(f"DROP OWNED BY {role}; DROP ROLE {role}")
    assert len(expected) > 200
    assert found == expected


async def made(connection: asyncpg.Connection, schema: str) -> list[tuple[str, ...]]:
    """Everything in it, and the book of the migrations, under a name that is no schema's."""
    await connection.execute(f"SET search_path TO {schema}")
    rows = [tuple(map(str, row)) for row in await connection.fetch(MADE, schema)]
    book = await connection.fetch("SELECT * FROM alembic_version ORDER BY 1")
    return [
        tuple(part.replace(schema, "here") for part in row)
        for row in [*rows, *(("revision", row[0]) for row in book)]
    ]
