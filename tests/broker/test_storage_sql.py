"""Storage on a real PostgreSQL: whole commits, and dated paths that show the newest version."""

import asyncio
import json
from collections.abc import AsyncIterator
from hashlib import sha256
from uuid import UUID, uuid4

import asyncpg
import pytest

from services.storage.adapters.erasures import PostgresErasures
from services.storage.adapters.exports import PostgresExports
from services.storage.adapters.handovers import PostgresHandovers
from services.storage.adapters.parquet import ParquetTables
from services.storage.adapters.result_index import PostgresResultIndex
from services.storage.adapters.stored_results import PostgresStoredResults
from services.storage.adapters.withdrawals import PostgresWithdrawals
from services.storage.handlers.publishing import repair_outputs
from services.storage.handlers.storing import finalise_documents, store_documents
from services.storage.handlers.withdrawing import withdraw_documents
from services.storage.ports import Ports
from shared.blobs.keys import content_key
from shared.bus.jobs import AlreadyHandled, Job
from shared.contracts.orders import FinaliseDocumentV1, StoreDocumentV1
from shared.errors import Retryable, Withdrawn
from tests import builders
from tests.broker.service_schema import ServiceSchema, service_schema
from tests.fakes.blobs import InMemoryBlobs


class Storage:
    def __init__(self, schema: ServiceSchema) -> None:
        self.schema = schema
        self.blobs = InMemoryBlobs()
        self.use = Ports(
            blobs=self.blobs,
            tables=ParquetTables(),
            results=PostgresStoredResults(),
            withdrawals=PostgresWithdrawals(),
            erasures=PostgresErasures(),
            ledger=schema.ledger,
            extraction_bytes_max=1024**2,
            index=PostgresResultIndex(schema.pool),
            handovers=PostgresHandovers(schema.pool),
            exports=PostgresExports(schema.pool),
        )

    def order(
        self, document_id: UUID, replaces: int = 0, total: str = "1.00"
    ) -> Job[StoreDocumentV1]:
        key = self._extraction_key(document_id, total)
        return builders.job(
            builders.store_document(
                document_id=document_id, extraction_key=key, replaces_version=replaces
            )
        )

    def decision(self, document_id: UUID, revision: int) -> Job[FinaliseDocumentV1]:
        key = self._extraction_key(document_id, f"{revision}.00")
        return builders.job(
            builders.finalise_document(
                document_id=document_id, extraction_key=key, review_revision=revision
            )
        )

    def published_version(self, document_id: UUID) -> int:
        raw = self.blobs.objects[f"data/json/2026/03/14/{document_id}.json"]
        return int(json.loads(raw)["version"])

    async def behind(self) -> int:
        count = await self.schema.owner.fetchval(
            "SELECT count(*) FROM outputs WHERE published_at IS NULL"
        )
        return int(count)

    def _extraction_key(self, document_id: UUID, total: str) -> str:
        fields = {"total": builders.read_as(total)}
        raw = builders.extraction(document_id=document_id, fields=fields).to_bytes()
        key = content_key(sha256(raw).hexdigest())
        self.blobs.objects[key] = raw
        return key


@pytest.fixture
async def storage(database_url: str) -> AsyncIterator[Storage]:
    async with service_schema(database_url, "storage", []) as schema:
        yield Storage(schema)


async def test_a_batch_commits_rows_order_and_fact_together(storage: Storage) -> None:
    jobs = [storage.order(uuid4()) for _ in range(20)]

    await store_documents(jobs, storage.use)

    sent = await storage.schema.outbox()
    assert sent.count(("review.open", "document.review")) == 20
    assert sent.count(("document.stored", "document.stored")) == 20
    assert await storage.behind() == 0
    with pytest.raises(AlreadyHandled):
        await store_documents(jobs, storage.use)


async def test_racing_decisions_leave_the_newest_version_published(storage: Storage) -> None:
    document_id = uuid4()
    await store_documents([storage.order(document_id)], storage.use)
    decisions = [storage.decision(document_id, revision) for revision in range(1, 7)]

    await asyncio.gather(*(finalise_documents([one], storage.use) for one in decisions))
    await repair_outputs(storage.use, older_than_s=-1)

    assert storage.published_version(document_id) == 7
    assert await storage.behind() == 0


async def test_a_reading_that_races_decisions_over_the_one_before_ends_up_published(
    storage: Storage,
) -> None:
    document_id = uuid4()
    await store_documents([storage.order(document_id)], storage.use)
    decisions = [storage.decision(document_id, revision) for revision in range(1, 7)]
    anew = [storage.order(document_id, replaces=1) for _ in range(3)]

    await asyncio.gather(
        *(finalise_documents([one], storage.use) for one in decisions),
        # One may meet a decision over the reading before, and comes again as on the bus.
        *(_until_done(one, storage) for one in anew),
    )
    await repair_outputs(storage.use, older_than_s=-1)

    rows = await storage.schema.owner.fetch("SELECT * FROM stored_results ORDER BY version")
    [reading] = [row["version"] for row in rows if not row["verdict"] and row["version"] > 1]
    assert storage.published_version(document_id) == reading
    assert len(rows) == 8
    for row in rows:
        content = json.loads(storage.blobs.objects[row["result_key"]])
        assert (content["version"], content["verdict"]) == (row["version"], row["verdict"])


@pytest.mark.parametrize("replaces", [0, 1])
async def test_readings_that_race_for_one_place_are_versions_of_their_own(
    storage: Storage, replaces: int
) -> None:
    document_id = uuid4()
    if replaces:
        await store_documents([storage.order(document_id)], storage.use)
    totals = [f"{one}.50" for one in range(6)]
    decisions = [storage.decision(document_id, one) for one in range(1, 4)] * replaces

    await asyncio.gather(
        *(finalise_documents([one], storage.use) for one in decisions),
        *(
            _until_done(storage.order(document_id, replaces, total), storage)
            for total in (*totals, *totals)
        ),
    )
    await repair_outputs(storage.use, older_than_s=-1)

    rows = await storage.schema.owner.fetch("SELECT * FROM stored_results ORDER BY version")
    said = [json.loads(storage.blobs.objects[row["result_key"]]) for row in rows]
    assert [one["version"] for one in said] == [row["version"] for row in rows]
    machine = [one for one in said if not one["verdict"]][replaces:]
    assert sorted(one["fields"]["total"]["value"] for one in machine) == totals
    assert storage.published_version(document_id) == max(one["version"] for one in machine)
    for row in rows:
        table = storage.blobs.objects[row["result_key"].removesuffix("json") + "parquet"]
        assert sha256(table).hexdigest() == row["table_sha256"]
        result = storage.blobs.objects[row["result_key"]]
        assert sha256(result).hexdigest() == row["result_sha256"]


async def _until_done(job: Job[StoreDocumentV1], storage: Storage) -> None:
    while True:
        try:
            return await store_documents([job], storage.use)
        except Retryable:
            # As the consumer does, only sooner.
            continue


async def test_overlapping_batches_do_not_dead_lock(storage: Storage) -> None:
    documents = [uuid4() for _ in range(30)]
    there = [storage.order(one) for one in documents]
    back = [storage.order(one) for one in reversed(documents)]

    await asyncio.gather(
        store_documents(there, storage.use), store_documents(back, storage.use)
    )

    rows = await storage.schema.owner.fetchval("SELECT count(*) FROM stored_results")
    assert rows == 30


async def test_a_crash_before_publishing_is_repaired_from_the_row(storage: Storage) -> None:
    document_id = uuid4()
    await store_documents([storage.order(document_id)], storage.use)
    await storage.schema.owner.execute("UPDATE outputs SET published_at = NULL")
    storage.blobs.objects.pop(f"data/json/2026/03/14/{document_id}.json")

    assert await repair_outputs(storage.use, older_than_s=3600) == 0
    assert await repair_outputs(storage.use, older_than_s=-1) == 1

    assert storage.published_version(document_id) == 1


async def test_a_withdrawn_document_ends_its_batch(storage: Storage) -> None:
    gone, wanted = uuid4(), uuid4()
    await withdraw_documents([builders.job(builders.cancelled(document_id=gone))], storage.use)

    with pytest.raises(Withdrawn):
        await store_documents([storage.order(gone), storage.order(wanted)], storage.use)

    assert await storage.schema.outbox() == []


async def test_a_cancel_that_races_a_result_leaves_no_output_behind(storage: Storage) -> None:
    documents = [uuid4() for _ in range(20)]
    cancels = [builders.job(builders.cancelled(document_id=one)) for one in documents]

    outcomes = await asyncio.gather(
        *(store_documents([storage.order(one)], storage.use) for one in documents),
        *(withdraw_documents([one], storage.use) for one in cancels),
        withdraw_documents(list(reversed(cancels)), storage.use),
        return_exceptions=True,
    )

    assert {type(one) for one in outcomes if one is not None} <= {Withdrawn}
    assert not [key for key in storage.blobs.objects if key.startswith("data/")]
    for table in ("stored_results", "outputs"):
        assert await storage.schema.owner.fetchval(f"SELECT count(*) FROM {table}") == 0


async def test_a_first_version_that_a_person_decided_is_refused(storage: Storage) -> None:
    with pytest.raises(asyncpg.CheckViolationError, match="a_person_decides"):
        await storage.schema.pool.execute(
            "INSERT INTO stored_results (document_id, version, owner_id, accepted_at,"
            " extraction_key, result_key, has_files, verdict)"
            " VALUES ($1, 1, '', now(), '', '', true, 'approved')",
            uuid4(),
        )
