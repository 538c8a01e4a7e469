"""Moves the operations of a monitor's schema until they stand still. Run as a program, so that
a test can have it killed at an instant."""

import asyncio
import sys

from services.monitor.handlers.operating import step_operation
from services.monitor.ports import Limits
from shared.clock import WallClock
from shared.database.pool import DatabaseSettings, open_pool
from shared.failpoints import arm
from shared.ledger.postgres import PostgresLedger
from tests.broker.monitor_world import ports_over

BATCH = 7


async def main(database_url: str, schema: str, failpoint: str) -> None:
    arm(failpoint)
    pool = await open_pool(DatabaseSettings(database_url), schema=schema, application="test")
    ledger = PostgresLedger(pool, WallClock(), wake=lambda: None)
    few = Limits(replay_batch=BATCH, prepare_batch=BATCH, apply_batch=BATCH)
    use = ports_over(pool, ledger, few)
    while await step_operation(use):
        pass
    await pool.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
