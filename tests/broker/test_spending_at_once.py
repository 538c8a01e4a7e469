"""What is spent on a provider is counted for its payer and for all together, also by those who
have to wait for each other."""

import asyncio
from decimal import Decimal

from services.extractor.adapters.spending import PostgresSpending
from services.extractor.domain.protection import Ceilings
from tests.broker.service_schema import ServiceSchema, service_schema
from tests.eventually import eventually

CENT = Decimal("0.01")
UNLIMITED = Ceilings(total=None, owner=None)


async def test_a_settlement_that_had_to_wait_counts_for_all_together_too(
    database_url: str,
) -> None:
    async with service_schema(database_url, "extractor", []) as schema:
        spending = PostgresSpending(schema.pool, UNLIMITED)
        reserved = await spending.reserve_spending("acme", 5 * CENT)
        assert reserved is not None

        async with schema.owner.acquire() as other, other.transaction():
            # Who settles in the same moment has not committed yet.
            await other.execute("UPDATE spending SET spent = spent WHERE payer = ''")
            settling = asyncio.ensure_future(spending.settle_spending(reserved, 2 * CENT))
            await eventually(lambda: _somebody_waits(schema))
        await settling

        rows = await schema.owner.fetch("SELECT payer, reserved, spent FROM spending")
        assert {row["payer"]: (row["reserved"], row["spent"]) for row in rows} == {
            "": (0, 2 * CENT),
            "acme": (0, 2 * CENT),
        }


async def _somebody_waits(schema: ServiceSchema) -> bool:
    waiting = await schema.owner.fetchval(
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE wait_event_type = 'Lock' AND query LIKE '%FROM spending%'"
        " AND datname = current_database() AND pid <> pg_backend_pid()"
    )
    return bool(waiting)
