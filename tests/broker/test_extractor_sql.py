"""The extractor on a real PostgreSQL: its commits are whole, and copies race to one answer."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import uuid4

import pytest

from services.extractor.adapters.leases import PostgresLeases
from services.extractor.adapters.own_readings import PostgresOwnReadings
from services.extractor.adapters.processed_documents import PostgresProcessedDocuments
from services.extractor.adapters.vendors import PostgresVendors
from services.extractor.adapters.withdrawals import PostgresWithdrawals
from services.extractor.domain.terms import Terms
from services.extractor.handlers import extract_document, withdraw_documents
from services.extractor.handlers.beginning import find_or_take
from services.extractor.handlers.leasing import keep_renewing
from services.extractor.ports import Ports
from shared.bus.jobs import AlreadyHandled, Job
from shared.bus.running import run_limited
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import Deferred, Rejected, Retryable, Withdrawn
from tests import builders
from tests.broker.service_schema import ServiceSchema, service_schema
from tests.eventually import eventually
from tests.fakes.blobs import InMemoryBlobs
from tests.fakes.extractor import FakeEngine

WAITING = (
    "SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))"
)


@dataclass(slots=True)
class Extractor:
    schema: ServiceSchema
    engine: FakeEngine = field(default_factory=FakeEngine)
    lease_s: float = 10.0
    blobs: InMemoryBlobs = field(
        default_factory=lambda: InMemoryBlobs({builders.CONTENT_KEY: builders.PDF})
    )

    @property
    def use(self) -> Ports:
        return Ports(
            blobs=self.blobs,
            engine=self.engine,
            processed=PostgresProcessedDocuments(),
            leases=PostgresLeases(),
            withdrawals=PostgresWithdrawals(),
            vendors=PostgresVendors(),
            own_readings=PostgresOwnReadings(),
            ledger=self.schema.ledger,
            terms=Terms(cache_ttl_s=3600, lease_s=self.lease_s, refusal_s=60),
            scan_bytes_max=1024,
        )

    async def leases(self) -> list[datetime]:
        rows = await self.schema.owner.fetch("SELECT held_until FROM leases")
        return [row["held_until"] for row in rows]

    async def cache_hits(self) -> list[bool]:
        rows = await self.schema.owner.fetch(
            "SELECT convert_from(body, 'UTF8')::jsonb #>> '{body,cache_hit}' AS hit"
            " FROM outbox WHERE type = 'document.store'"
        )
        return sorted(row["hit"] == "true" for row in rows)


@pytest.fixture
async def extractor(database_url: str) -> AsyncIterator[Extractor]:
    async with service_schema(database_url, "extractor", []) as schema:
        yield Extractor(schema)


async def _until_done(job: Job[ExtractDocumentV1], extractor: Extractor) -> None:
    """Delivered again for as long as it is sent to wait."""

    async def is_done() -> bool:
        try:
            await extract_document(job, extractor.use)
        except Deferred:
            return False
        return True

    await eventually(is_done)


async def test_one_delivery_announces_keeps_and_orders(extractor: Extractor) -> None:
    job = builders.job(builders.extract_document())

    await extract_document(job, extractor.use)

    assert await extractor.schema.outbox() == [
        ("document.started", "document.started"),
        ("storage.store", "document.store"),
        ("document.extracted", "document.extracted"),
    ]
    with pytest.raises(AlreadyHandled):
        await extract_document(job, extractor.use)


async def test_what_is_being_withdrawn_is_not_stored_behind_its_back(
    extractor: Extractor,
) -> None:
    use, job = extractor.use, builders.job(builders.extract_document())
    document_id = job.body.document_id

    async with use.ledger.unit() as unit:
        await use.withdrawals.lock_documents(unit, [document_id])
        # It has looked for what there is to be erased, and found nothing yet.
        await use.withdrawals.note_withdrawn(unit, [document_id], "deleted")
        reading = asyncio.ensure_future(extract_document(job, use))
        await eventually(lambda: unit.connection.fetch(WAITING))
    with pytest.raises(Withdrawn):
        await reading

    assert {*extractor.blobs.objects} == {builders.CONTENT_KEY}
    for table in ("processed_documents", "vendor_sightings"):
        assert not await extractor.schema.owner.fetch(f"SELECT FROM {table}")


async def test_copies_of_one_content_end_with_one_original(extractor: Extractor) -> None:
    jobs = [builders.job(builders.extract_document()) for _ in range(8)]

    await asyncio.gather(*(_until_done(job, extractor) for job in jobs))

    assert await extractor.cache_hits() == [False] + [True] * 7
    assert extractor.engine.calls == 1
    assert not await extractor.leases()


async def test_copies_of_a_content_that_fails_end_alike_with_one_call(
    extractor: Extractor,
) -> None:
    # PostgreSQL takes no NUL, and a document may make its parser say anything.
    extractor.engine.error = Rejected("unreadable", "an object named \x00")
    jobs = [builders.job(builders.extract_document()) for _ in range(8)]

    ends = await asyncio.gather(
        *(_until_done(job, extractor) for job in jobs), return_exceptions=True
    )

    assert {one.reason for one in ends if isinstance(one, Rejected)} == {"unreadable"}
    assert len(ends) == 8
    assert extractor.engine.calls == 1


@pytest.mark.parametrize(
    "ending",
    [
        pytest.param("cancelled", id="a shutdown"),
        pytest.param("timed out", id="the limit of its queue"),
    ],
)
async def test_whoever_is_cut_off_gives_the_content_up(
    extractor: Extractor, ending: str
) -> None:
    extractor.engine.may_answer.clear()
    delivery = asyncio.ensure_future(
        run_limited(
            extract_document(builders.job(builders.extract_document()), extractor.use),
            timeout_s=0.2 if ending == "timed out" else 60,
            hurry=[],
            on_stuck=lambda: None,
        )
    )
    await extractor.engine.asked.wait()

    if ending == "cancelled":
        # The other ends by itself, perhaps before anybody looks.
        assert len(await extractor.leases()) == 1
        delivery.cancel()
    await asyncio.wait({delivery})

    assert delivery.cancelled() or isinstance(delivery.exception(), Retryable)
    assert not await extractor.leases()


async def test_a_lease_outlives_its_term_while_its_holder_works(extractor: Extractor) -> None:
    extractor.lease_s = 0.3
    extractor.engine.may_answer.clear()
    job = builders.job(builders.extract_document())
    use = extractor.use
    delivery = asyncio.ensure_future(extract_document(job, use))
    renewing = asyncio.ensure_future(keep_renewing(use))
    await extractor.engine.asked.wait()
    [until] = await extractor.leases()

    async def is_past_its_term() -> bool:
        return bool(await extractor.schema.owner.fetchval("SELECT now() > $1", until))

    await eventually(is_past_its_term)
    with pytest.raises(Deferred):
        await extract_document(builders.job(builders.extract_document()), extractor.use)
    extractor.engine.may_answer.set()
    await delivery
    renewing.cancel()

    assert extractor.engine.calls == 1
    assert await extractor.cache_hits() == [False]


async def test_a_holder_that_was_killed_is_followed_after_its_term(
    extractor: Extractor,
) -> None:
    job = builders.job(builders.extract_document())
    copy = builders.job(builders.extract_document())
    # Taken, and never heard of again.
    await find_or_take(job, replace(extractor.use, terms=Terms(60, 0.5, 60)))

    with pytest.raises(Deferred):
        await extract_document(copy, extractor.use)
    # The job itself comes again as soon as its process is dead, and waits in place.
    await extract_document(job, extractor.use)

    assert extractor.engine.calls == 1
    assert await extractor.cache_hits() == [False]


async def test_a_withdrawal_stops_a_document_and_forgets_a_deleted_one(
    extractor: Extractor,
) -> None:
    order = builders.extract_document()
    await extract_document(builders.job(order), extractor.use)

    await withdraw_documents(
        [
            builders.job(builders.deleted(document_id=order.document_id)),
            builders.job(builders.cancelled(document_id=uuid4())),
        ],
        extractor.use,
    )

    with pytest.raises(Withdrawn):
        await extract_document(builders.job(order), extractor.use)
    await extract_document(builders.job(builders.extract_document()), extractor.use)
    assert extractor.engine.calls == 2
