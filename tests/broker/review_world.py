"""The review service on a real PostgreSQL, its bytes in memory."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID, uuid4

import shared.audit
from services.review.adapters.decisions import PostgresDecisions
from services.review.adapters.forms import PostgresForms
from services.review.adapters.insight import PostgresInsight
from services.review.adapters.page_records import PostgresPageRecords
from services.review.adapters.queue import PostgresQueue
from services.review.adapters.review_items import PostgresReviewItems
from services.review.adapters.reviewers import PostgresReviewers
from services.review.adapters.trail import AuditTrail
from services.review.adapters.withdrawals import PostgresWithdrawals
from services.review.domain.items import ReviewItem
from services.review.domain.ranking import Plan
from services.review.domain.turns import Turns
from services.review.domain.wishes import Wishes
from services.review.handlers.claiming import get_item
from services.review.handlers.opening import open_items
from services.review.ports import Ports
from services.review.ports.pages import PagePorts
from shared.blobs.keys import content_key
from shared.blobs.port import Blobs
from shared.bus.jobs import Job
from shared.clock import WallClock
from shared.contracts.body import Priority
from shared.contracts.extraction import ExtractedField
from shared.contracts.orders import OpenReviewV1
from shared.database.pool import Pool
from shared.ledger.port import Ledger
from tests import builders
from tests.another_invoice import another_invoice
from tests.broker.service_schema import ServiceSchema, service_schema
from tests.fakes.blobs import InMemoryBlobs
from tests.fakes.pages import FakePainter
from tests.review_rules import rules

PLAN = Plan()


@dataclass(frozen=True, slots=True)
class Review:
    schema: ServiceSchema
    blobs: InMemoryBlobs
    items: PostgresReviewItems
    use: Ports
    painter: FakePainter

    def order(
        self,
        document_id: UUID | None = None,
        priority: Priority = Priority.NORMAL,
        fields: dict[str, ExtractedField] | None = None,
    ) -> Job[OpenReviewV1]:
        document_id = document_id or uuid4()
        extraction = another_invoice(document_id)
        if fields is not None:
            extraction = extraction.model_copy(update={"fields": fields})
        raw = extraction.to_bytes()
        key = content_key(sha256(raw).hexdigest())
        self.blobs.objects[key] = raw
        body = builders.open_review(
            document_id=document_id, extraction_key=key, priority=priority
        )
        return builders.job(body)

    async def opened(self, priority: Priority = Priority.NORMAL) -> ReviewItem:
        order = self.order(priority=priority)
        await open_items([order], self.use)
        return await get_item(order.body.document_id, self.use)

    async def lapse(self, document_id: UUID) -> None:
        await self.schema.owner.execute(
            "UPDATE review_items SET claimed_until = now() - interval '1 s'"
            " WHERE document_id = $1",
            document_id,
        )

    async def forget_outbox(self) -> None:
        await self.schema.owner.execute("DELETE FROM outbox")


@asynccontextmanager
async def review_service(database_url: str, plan: Plan = PLAN) -> AsyncIterator[Review]:
    async with service_schema(database_url, "review", [shared.audit.MIGRATIONS]) as schema:
        blobs, painter = InMemoryBlobs(), FakePainter()
        use = ports_over(schema.pool, schema.ledger, blobs, plan, painter)
        yield Review(schema, blobs, PostgresReviewItems(schema.pool), use, painter)


def ports_over(
    pool: Pool,
    ledger: Ledger,
    blobs: Blobs,
    plan: Plan = PLAN,
    painter: FakePainter | None = None,
) -> Ports:
    pages = PostgresPageRecords(pool)
    return Ports(
        items=PostgresReviewItems(pool),
        withdrawals=PostgresWithdrawals(pool),
        decisions=PostgresDecisions(pool),
        forms=PostgresForms(pool),
        rules=rules(),
        trail=AuditTrail(pool),
        blobs=blobs,
        ledger=ledger,
        pages=PagePorts(painter or FakePainter(), pages, Turns(2), Wishes()),
        queue=PostgresQueue(pool),
        reviewers=PostgresReviewers(pool),
        insight=PostgresInsight(pool),
        clock=WallClock(),
        plan=plan,
    )
