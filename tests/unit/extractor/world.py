"""An extractor whose outside is in memory, and one content that can be uploaded."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID, uuid4

from services.extractor.domain.terms import Terms
from services.extractor.handlers import extract_document
from services.extractor.handlers.leasing import keep_renewing
from services.extractor.ports import ContentKey, Lease, Ports, Step
from shared.bus.jobs import Job
from shared.contracts.extraction import ExtractionV1
from shared.contracts.orders import ExtractDocumentV1, StoreDocumentV1
from tests import builders
from tests.fakes.blobs import InMemoryBlobs
from tests.fakes.extractor import (
    FakeEngine,
    InMemoryLeases,
    InMemoryOwnReadings,
    InMemoryProcessedDocuments,
)
from tests.fakes.ledger import FakeLedger
from tests.fakes.vendors import InMemoryVendors
from tests.fakes.withdrawals import InMemoryWithdrawals

TERMS = Terms(cache_ttl_s=3600, lease_s=10, refusal_s=60)


class World:
    def __init__(self, leases: InMemoryLeases | None = None) -> None:
        self.blobs = InMemoryBlobs({builders.CONTENT_KEY: builders.PDF})
        self.engine = FakeEngine()
        self.ledger = FakeLedger()
        self.leases = leases or InMemoryLeases()
        self.clock = self.leases.clock
        self.withdrawals = InMemoryWithdrawals()
        self.processed = InMemoryProcessedDocuments(self.leases, self.withdrawals)
        self.vendors = InMemoryVendors(self.withdrawals)
        self.own_readings = InMemoryOwnReadings(self.clock)
        self.terms = TERMS
        self.held: dict[Lease, float] = {}
        self.steps: dict[UUID, Step] = {}

    @property
    def use(self) -> Ports:
        return Ports(
            blobs=self.blobs,
            engine=self.engine,
            processed=self.processed,
            leases=self.leases,
            withdrawals=self.withdrawals,
            vendors=self.vendors,
            own_readings=self.own_readings,
            ledger=self.ledger,
            terms=self.terms,
            scan_bytes_max=1024,
            held=self.held,
            steps=self.steps,
        )

    @property
    def content(self) -> ContentKey:
        return ContentKey(builders.OWNER, builders.SHA256, self.engine.config)

    async def deliver(self, job: Job[ExtractDocumentV1] | None = None) -> None:
        await extract_document(job or builders.job(builders.extract_document()), self.use)

    def stored(self) -> list[StoreDocumentV1]:
        return [body for body in self.ledger.sent if isinstance(body, StoreDocumentV1)]

    def extraction(self, at: int = -1) -> ExtractionV1:
        raw = self.blobs.objects[self.stored()[at].extraction_key]
        return ExtractionV1.model_validate_json(raw)


def order() -> Job[ExtractDocumentV1]:
    return builders.job(builders.extract_document())


@asynccontextmanager
async def reading(
    world: World, job: Job[ExtractDocumentV1]
) -> AsyncIterator[asyncio.Task[None]]:
    """While the engine is at the job's content; afterwards the engine may answer."""
    world.engine.may_answer.clear()
    async with asyncio.TaskGroup() as group:
        renewing = group.create_task(keep_renewing(world.use))
        delivery = group.create_task(world.deliver(job))
        await world.engine.asked.wait()
        yield delivery
        world.engine.may_answer.set()
        renewing.cancel()


async def silent_holder(world: World, job: Job[ExtractDocumentV1]) -> Lease:
    """Somebody took the lease for this job and is heard of no more."""
    order = job.body
    lease = Lease(world.content, order.document_id, job.job_id, job.run, uuid4())
    async with world.ledger.unit() as unit:
        await world.leases.take_lease(unit, lease, world.terms.lease_s)
    return lease
