"""A review service whose outside is made of fakes, and documents waiting to be reviewed."""

from hashlib import sha256
from uuid import UUID, uuid4

from services.review.domain import ReviewItem
from services.review.handlers.opening import open_items
from services.review.ports import Limits, Ports
from shared.blobs.keys import content_key
from shared.bus.jobs import Job
from shared.contracts.body import Priority
from shared.contracts.extraction import ExtractionV1
from shared.contracts.orders import OpenReviewV1
from tests import builders
from tests.fakes.blobs import InMemoryBlobs
from tests.fakes.clock import FakeClock
from tests.fakes.ledger import FakeLedger
from tests.fakes.review import InMemoryReviewItems, InMemoryTrail, InMemoryWithdrawals

LEASE_S = 900.0


class World:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.blobs = InMemoryBlobs()
        self.ledger = FakeLedger()
        self.items = InMemoryReviewItems(self.clock)
        self.withdrawals = InMemoryWithdrawals(self.items)
        self.trail = InMemoryTrail(self.clock)
        self.ports = Ports(
            items=self.items,
            withdrawals=self.withdrawals,
            trail=self.trail,
            blobs=self.blobs,
            ledger=self.ledger,
            limits=Limits(claim_lease_s=LEASE_S),
        )

    def order(
        self,
        document_id: UUID | None = None,
        *,
        priority: Priority = Priority.NORMAL,
        run: int = 0,
    ) -> Job[OpenReviewV1]:
        """An order whose extraction lies in the store."""
        document_id = document_id or uuid4()
        extraction = builders.extraction(document_id=document_id)
        body = builders.open_review(
            document_id=document_id, extraction_key=self.store(extraction), priority=priority
        )
        return builders.job(body, run=run)

    def store(self, extraction: ExtractionV1) -> str:
        raw = extraction.to_bytes()
        key = content_key(sha256(raw).hexdigest())
        self.blobs.objects[key] = raw
        return key

    async def opened(self, priority: Priority = Priority.NORMAL, run: int = 0) -> ReviewItem:
        """An open item; what its opening sent is forgotten."""
        order = self.order(priority=priority, run=run)
        await open_items([order], self.ports)
        self.ledger.messages.clear()
        return self.items.items[order.body.document_id]

    async def item(self, document_id: UUID) -> ReviewItem:
        item = await self.items.find_item(document_id)
        assert item is not None
        return item
