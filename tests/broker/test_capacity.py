"""What the monitor may see of the database server with its own rights."""

from services.monitor.adapters.database_server import PostgresServer
from services.monitor.domain.capacity import DATABASE_CONNECTIONS, DATABASE_IDS
from shared.database.pool import DatabaseSettings, open_pool


async def test_connections_and_ids_are_told_as_shares(database_url: str) -> None:
    settings = DatabaseSettings(database_url, pool_min=1, pool_max=4)
    pool = await open_pool(settings, schema="public", application="test")
    try:
        before = await PostgresServer(pool).measure_shares()
        async with pool.acquire(), pool.acquire(), pool.acquire():
            more = await PostgresServer(pool).measure_shares()
    finally:
        await pool.close()

    assert 0 < before[DATABASE_CONNECTIONS] < more[DATABASE_CONNECTIONS] < 1
    assert 0 < before[DATABASE_IDS] < 1
