"""The review service on a real PostgreSQL, its bytes in memory."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID, uuid4

import shared.audit
from services.review.adapters.review_items import PostgresReviewItems
from services.review.adapters.trail import AuditTrail
from services.review.adapters.withdrawals import PostgresWithdrawals
from services.review.domain import ReviewItem
from services.review.handlers.claiming import get_item
from services.review.handlers.opening import open_items
from services.review.ports import Ports
from shared.blobs.keys import content_key
from shared.bus.jobs import Job
from shared.contracts.body import Priority
from shared.contracts.extraction import ExtractedField
from shared.contracts.orders import OpenReviewV1
from tests import builders
from tests.broker.service_schema import ServiceSchema, service_schema
from tests.fakes.blobs import InMemoryBlobs


@dataclass(frozen=True, slots=True)
class Review:
    schema: ServiceSchema
    blobs: InMemoryBlobs
    items: PostgresReviewItems
    use: Ports

    def order(
        self,
        document_id: UUID | None = None,
        priority: Priority = Priority.NORMAL,
        fields: dict[str, ExtractedField] | None = None,
    ) -> Job[OpenReviewV1]:
        document_id = document_id or uuid4()
        extraction = builders.extraction(document_id=document_id)
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
async def review_service(database_url: str) -> AsyncIterator[Review]:
    async with service_schema(database_url, "review", [shared.audit.MIGRATIONS]) as schema:
        items, blobs = PostgresReviewItems(schema.pool), InMemoryBlobs()
        use = Ports(
            items=items,
            withdrawals=PostgresWithdrawals(schema.pool),
            trail=AuditTrail(schema.pool),
            blobs=blobs,
            ledger=schema.ledger,
        )
        yield Review(schema, blobs, items, use)
