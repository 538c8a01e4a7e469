"""Storage never waits for a disk on its event loop, neither at once nor in the background."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from services.storage.adapters.encoders import FileEncoders
from services.storage.adapters.erasures import PostgresErasures
from services.storage.adapters.exports import PostgresExports
from services.storage.adapters.handovers import PostgresHandovers
from services.storage.adapters.parquet import ParquetTables
from services.storage.adapters.result_index import PostgresResultIndex
from services.storage.adapters.stored_results import PostgresStoredResults
from services.storage.adapters.withdrawals import PostgresWithdrawals
from services.storage.domain.results import Result, json_of
from services.storage.handlers.collecting import collect_strays, measure_tables
from services.storage.handlers.compacting import compact_days, prune_days
from services.storage.handlers.manifests import write_manifests
from services.storage.handlers.publishing import repair_outputs
from services.storage.handlers.reporting import report_erased
from services.storage.handlers.storing import finalise_documents, store_documents
from services.storage.handlers.withdrawing import withdraw_documents
from services.storage.ports import Ports
from shared.blobs.pieces import in_one_piece
from shared.bus.jobs import Job
from shared.contracts.orders import StoreDocumentV1
from tests import builders
from tests.broker.day_world import DayWorld, day_world
from tests.off_the_loop import disk_on_the_loop

DOCUMENTS = 3


@pytest.fixture
async def world(database_url: str, tmp_path: Path) -> AsyncIterator[DayWorld]:
    async with day_world(database_url, tmp_path) as world:
        yield world


def _ports(world: DayWorld) -> Ports:
    pool = world.schema.pool
    return Ports(
        blobs=world.blobs,
        tables=ParquetTables(),
        results=PostgresStoredResults(),
        withdrawals=PostgresWithdrawals(),
        erasures=PostgresErasures(),
        ledger=world.schema.ledger,
        extraction_bytes_max=1024**2,
        index=PostgresResultIndex(pool),
        handovers=PostgresHandovers(pool),
        exports=PostgresExports(pool),
    )


async def _order(world: DayWorld) -> Job[StoreDocumentV1]:
    document_id = uuid4()
    extraction = builders.extraction(document_id=document_id).to_bytes()
    kept = await world.blobs.write(in_one_piece(extraction))
    return builders.job(
        builders.store_document(document_id=document_id, extraction_key=kept.key)
    )


async def test_what_storage_does_with_files_it_does_in_threads(world: DayWorld) -> None:
    use = _ports(world)
    days = replace(world.use, pace=replace(world.use.pace, prune_after_days=0))
    jobs = [await _order(world) for _ in range(DOCUMENTS)]
    first = jobs[0].body
    decided = builders.job(
        builders.finalise_document(
            document_id=first.document_id, extraction_key=first.extraction_key
        )
    )

    with disk_on_the_loop() as seen:
        await store_documents(jobs, use)
        await finalise_documents([decided], use)
        await repair_outputs(use, older_than_s=0)
        while await write_manifests(days) + await compact_days(days):
            pass
        await prune_days(days)
        await measure_tables(days)
        await collect_strays(days)
        await withdraw_documents(
            [builders.job(builders.deleted(document_id=first.document_id))], use
        )
        while await write_manifests(days) + await compact_days(days):
            pass
        assert await report_erased(days, use.erasures, use.exports) == 1

    assert not seen


async def test_what_an_export_writes_it_writes_in_threads(tmp_path: Path) -> None:
    result = json_of(Result(builders.extraction()))

    with disk_on_the_loop() as seen:
        for form in ("jsonl", "csv", "xlsx", "parquet"):
            encoder = FileEncoders(tmp_path).open(form, "documents")
            await encoder.add([result])
            async for _ in encoder.finish():
                pass
            await encoder.close()

    assert not seen
