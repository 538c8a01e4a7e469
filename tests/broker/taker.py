"""A consumer as a process of its own, for tests that kill it: `python -m tests.broker.taker`.

It takes batches and acknowledges them until nothing waits, and says on its standard output what
it has put away. Where it dies comes with its arguments.
"""

import asyncio
import json
import sys

from services.storage.adapters.encoders import FileEncoders
from services.storage.adapters.exports import PostgresExports
from services.storage.adapters.handovers import PostgresHandovers
from services.storage.adapters.result_index import PostgresResultIndex
from services.storage.adapters.trail import AuditTrail
from services.storage.adapters.ubl import UblInvoices
from services.storage.handlers.handing_over import acknowledge, next_batch
from services.storage.ports.outlets import Outlets
from shared import failpoints
from shared.clock import WallClock
from shared.database.pool import DatabaseSettings, Pool, open_pool
from shared.ledger.postgres import PostgresLedger
from tests.fakes.blobs import InMemoryBlobs

OWNER, NAME = "acme", "erp"


def outlets_on(pool: Pool) -> Outlets:
    clock = WallClock()
    return Outlets(
        blobs=InMemoryBlobs(),
        ledger=PostgresLedger(pool, clock, wake=lambda: None),
        index=PostgresResultIndex(pool),
        exports=PostgresExports(pool),
        handovers=PostgresHandovers(pool),
        encoders=FileEncoders(),
        invoices=UblInvoices(),
        trail=AuditTrail(),
        clock=clock,
    )


async def take(database_url: str, schema: str, failpoint: str) -> None:
    pool = await open_pool(
        DatabaseSettings(database_url), schema=schema, application="consumer"
    )
    use = outlets_on(pool)
    failpoints.arm(failpoint)
    while given := await next_batch(OWNER, NAME, 3, use):
        # What a consumer does with a batch: it puts it away, and then says so.
        away = [[str(one.document_id), one.version] for one in given.items]
        sys.stdout.write(json.dumps([str(given.batch.batch_id), away]) + "\n")
        sys.stdout.flush()
        await acknowledge(OWNER, NAME, given.batch.batch_id, given.batch.sha256, use)
    await pool.close()


if __name__ == "__main__":
    asyncio.run(take(*sys.argv[1:]))
