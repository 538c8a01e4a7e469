"""A review service whose outside is made of fakes, and documents waiting to be reviewed."""

from dataclasses import replace
from hashlib import sha256
from uuid import UUID, uuid4

from services.review.domain.items import ReviewItem
from services.review.domain.ranking import Plan
from services.review.handlers.opening import open_items
from services.review.ports import Limits, Ports
from services.review.ports.pages import PageLimits
from shared.blobs.keys import content_key
from shared.bus.jobs import Job
from shared.contracts.body import Priority
from shared.contracts.extraction import ExtractionV1
from shared.contracts.orders import OpenReviewV1
from tests import builders
from tests.another_invoice import another_invoice
from tests.fakes.blobs import InMemoryBlobs
from tests.fakes.clock import FakeClock
from tests.fakes.ledger import FakeLedger
from tests.fakes.pages import FakePainter, InMemoryPageRecords, page_ports
from tests.fakes.review import InMemoryReviewItems
from tests.fakes.review_decisions import InMemoryDecisions
from tests.fakes.review_forms import InMemoryForms
from tests.fakes.review_insight import InMemoryInsight
from tests.fakes.review_queue import InMemoryQueue, InMemoryReviewers
from tests.fakes.review_withdrawals import InMemoryWithdrawals
from tests.fakes.trail import InMemoryTrail
from tests.review_rules import rules

LEASE_S = 900.0


class World:
    def __init__(self, plan: Plan = Plan()) -> None:  # noqa: B008 -- frozen
        self.clock = FakeClock()
        self.blobs = InMemoryBlobs()
        self.ledger = FakeLedger()
        self.items = InMemoryReviewItems(self.clock)
        self.queue = InMemoryQueue(self.items, self.clock)
        self.reviewers = InMemoryReviewers(self.items, self.clock)
        self.insight = InMemoryInsight(self.items, self.clock)
        self.withdrawals = InMemoryWithdrawals(self.items)
        self.forms = InMemoryForms(self.items, self.clock)
        self.decisions = InMemoryDecisions(self.items, self.forms, self.clock)
        self.trail = InMemoryTrail(self.clock)
        self.painter = FakePainter()
        self.page_records = InMemoryPageRecords(lambda one: one in self.items.items)
        self.ports = Ports(
            items=self.items,
            withdrawals=self.withdrawals,
            decisions=self.decisions,
            forms=self.forms,
            rules=rules(),
            trail=self.trail,
            blobs=self.blobs,
            ledger=self.ledger,
            pages=page_ports(self.page_records, self.painter),
            queue=self.queue,
            reviewers=self.reviewers,
            insight=self.insight,
            clock=self.clock,
            limits=Limits(claim_lease_s=LEASE_S),
            plan=plan,
        )

    def with_page_limits(self, limits: PageLimits) -> Ports:
        return replace(self.ports, pages=replace(self.ports.pages, limits=limits))

    def order(
        self,
        document_id: UUID | None = None,
        *,
        priority: Priority = Priority.NORMAL,
        run: int = 0,
    ) -> Job[OpenReviewV1]:
        """An order whose extraction lies in the store."""
        document_id = document_id or uuid4()
        extraction = another_invoice(document_id)
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
