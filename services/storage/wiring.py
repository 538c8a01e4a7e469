"""What stands behind each port of storage, and which handler takes which queue."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from services.storage.adapters.parquet import ParquetTables
from services.storage.adapters.stored_results import PostgresStoredResults
from services.storage.adapters.withdrawals import PostgresWithdrawals
from services.storage.handlers import (
    finalise_documents,
    repair_outputs,
    store_documents,
    withdraw_documents,
)
from services.storage.ports import Ports
from services.storage.settings import Settings
from shared.errors import Retryable
from shared.process.runtime import Consumption, Runtime, Service
from shared.topology.queues import FINALISE, STORAGE_WITHDRAW, STORE

log = logging.getLogger(__name__)


def ports(runtime: Runtime[Settings]) -> Ports:
    return Ports(
        blobs=runtime.blobs,
        tables=ParquetTables(),
        results=PostgresStoredResults(),
        withdrawals=PostgresWithdrawals(),
        ledger=runtime.ledger,
        extraction_bytes_max=runtime.settings.extraction_bytes_max,
    )


def consumptions(runtime: Runtime[Settings]) -> Sequence[Consumption]:
    use = ports(runtime)
    return (
        Consumption(STORE, many=partial(store_documents, use=use)),
        Consumption(FINALISE, many=partial(finalise_documents, use=use)),
        Consumption(STORAGE_WITHDRAW, many=partial(withdraw_documents, use=use)),
    )


def tasks(runtime: Runtime[Settings]) -> Mapping[str, Callable[[], Awaitable[None]]]:
    return {"repair_outputs": partial(repair_forever, runtime)}


async def repair_forever(runtime: Runtime[Settings]) -> None:
    use, settings = ports(runtime), runtime.settings
    while True:
        repaired = 0
        try:
            repaired = await repair_outputs(use, older_than_s=settings.repair_older_than_s)
        except Retryable as error:
            # What is away for us is away for the consumers too, and they say so.
            log.warning("outputs_not_repaired", extra={"cause": str(error)})
        if repaired:
            log.info("outputs_repaired", extra={"count": repaired})
        else:
            await asyncio.sleep(settings.repair_every_s)


SERVICE = Service(
    name="storage",
    settings=Settings,
    migrations=(Path(__file__).parent / "migrations",),
    consumptions=consumptions,
    tasks=tasks,
)
