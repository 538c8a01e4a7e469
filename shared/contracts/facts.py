"""The facts: what happened, told to whoever cares. A published version never changes.

No consumer may rely on their order: each fact says enough to be applied late or twice.
"""

from datetime import datetime
from typing import ClassVar, Literal, Self
from uuid import UUID

from pydantic import Field

from shared.contracts.body import DocumentBody, DocumentFact, Fact
from shared.contracts.extraction import Summary
from shared.contracts.orders import PARTS_MAX, Verdict
from shared.contracts.processes import (
    ConsumptionSteeredV1,
    ProcessReportedV1,
    ServiceLevelBreachedV1,
    ServiceLevelRestoredV1,
)

# Far beyond what people do to one document; consumers keep it in a small number.
REVISIONS_MAX = 10_000

FinalStatus = Literal["completed", "failed", "duplicate", "cancelled"]


class DocumentAcceptedV1(DocumentFact):
    type: ClassVar[str] = "document.accepted"

    sha256: str
    media_type: str
    size_bytes: int
    filename: str = ""


class DocumentStartedV1(DocumentFact):
    type: ClassVar[str] = "document.started"

    attempt: int = Field(ge=1)


class DocumentProgressV1(DocumentFact):
    type: ClassVar[str] = "document.progress"

    percent: int = Field(ge=0, le=100)
    stage: str


class DocumentWaitingV1(DocumentFact):
    """The document waits; `reason` is the one line a person is shown."""

    type: ClassVar[str] = "document.waiting"

    stage: str
    reason: str
    until: datetime | None = None
    attempt: int = Field(ge=1)


class DocumentExtractedV1(DocumentFact):
    type: ClassVar[str] = "document.extracted"

    engine: str
    confidence: float = Field(ge=0, le=1)
    cache_hit: bool = False


class DocumentFailedV1(DocumentFact):
    type: ClassVar[str] = "document.failed"

    stage: str
    reason: str
    detail: str = ""
    attempts: int = Field(ge=0)


class DocumentStoredV1(DocumentFact):
    type: ClassVar[str] = "document.stored"

    result_version: int = Field(ge=1)
    result_key: str
    engine: str
    confidence: float = Field(ge=0, le=1)
    duplicate: bool = False
    summary: Summary = Summary()


class DocumentFinalisedV1(DocumentFact):
    type: ClassVar[str] = "document.finalised"
    version: ClassVar[str] = "1.1"

    result_version: int = Field(ge=1)
    result_key: str
    verdict: Verdict
    summary: Summary = Summary()
    # Since 1.1: the document was read anew meanwhile, and this decision is over what was
    # replaced.
    superseded: bool = False


class DocumentEndedV1(DocumentFact):
    type: ClassVar[str] = "document.ended"

    status: FinalStatus


class DocumentCancelledV1(DocumentFact):
    type: ClassVar[str] = "document.cancelled"


class DocumentDeletedV1(DocumentFact):
    type: ClassVar[str] = "document.deleted"


class DocumentSplitFailedV1(DocumentFact):
    """The parts that a person wanted of a file cannot be made of it. There are none."""

    type: ClassVar[str] = "document.split_failed"

    parts: tuple[UUID, ...] = Field(min_length=1, max_length=PARTS_MAX)
    reason: str
    detail: str = ""


class DocumentErasedV1(DocumentFact):
    """One service holds nothing of a deleted document any more."""

    type: ClassVar[str] = "document.erased"

    service: str = Field(min_length=1, max_length=100)

    @classmethod
    def after(cls, deleted: DocumentDeletedV1, *, service: str, cause_id: UUID) -> Self:
        """What a service reports in the commit in which it has erased its part."""
        of_the_document = {name: getattr(deleted, name) for name in DocumentBody.model_fields}
        return cls(service=service, cause_id=cause_id, **of_the_document)


class ReviewOpenedV1(DocumentFact):
    type: ClassVar[str] = "review.opened"
    version: ClassVar[str] = "1.1"

    confidence: float = Field(ge=0, le=1)
    # Since 1.1.
    result_version: int = Field(default=1, ge=1)


class ReviewClaimedV1(DocumentFact):
    """Somebody has the item in hand."""

    type: ClassVar[str] = "review.claimed"

    reviewer: str
    result_version: int = Field(ge=1)
    # How many decisions there were over this result, and how often the item had changed hands:
    # of all that is told of it, what is told of the last change is true.
    review_revision: int = Field(ge=0, le=REVISIONS_MAX)
    turn: int = Field(ge=0)


class ReviewReleasedV1(DocumentFact):
    """Nobody has it in hand any more: given back, passed on, put off, or its claim ended."""

    type: ClassVar[str] = "review.released"

    result_version: int = Field(ge=1)
    review_revision: int = Field(ge=0, le=REVISIONS_MAX)
    turn: int = Field(ge=0)


class ReviewDecidedV1(DocumentFact):
    type: ClassVar[str] = "review.decided"
    version: ClassVar[str] = "1.2"

    verdict: Verdict
    reviewer: str
    # Since 1.1.
    result_version: int = Field(default=1, ge=1)
    # Since 1.2: the how manieth decision over this result, and why it was rejected.
    review_revision: int = Field(default=1, ge=1, le=REVISIONS_MAX)
    reason_code: str | None = None


class ReviewReopenedV1(DocumentFact):
    """A decision was taken back: what it approved stays current until there is another."""

    type: ClassVar[str] = "review.reopened"

    verdict: Verdict
    reviewer: str
    result_version: int = Field(ge=1)
    # The decision that was taken back.
    review_revision: int = Field(ge=1, le=REVISIONS_MAX)
    # By the reviewer, within seconds.
    undone: bool = False


class ReviewOverdueV1(DocumentFact):
    """Nobody decided in time. Told once for each time by which it was due."""

    type: ClassVar[str] = "review.overdue"

    due_at: datetime
    result_version: int = Field(ge=1)


class ReplaySettledV1(Fact):
    """How a replayed dead letter ended, so that an operator sees every replay to its end."""

    type: ClassVar[str] = "replay.settled"

    replay_id: UUID
    job_id: UUID
    run: int
    queue: str
    outcome: Literal["done", "already_applied", "withdrawn"]


class BatchCompletedV1(Fact):
    """Every document of a batch has ended; again, with a higher revision, after a replay."""

    type: ClassVar[str] = "batch.completed"

    batch_id: UUID
    owner_id: str = Field(min_length=1, max_length=200)
    revision: int = Field(ge=1)
    completed: int = Field(ge=0)
    duplicate: int = Field(ge=0)
    failed: int = Field(ge=0)
    cancelled: int = Field(ge=0)
    rejected: int = Field(ge=0)


class ConsumptionPausedV1(Fact):
    type: ClassVar[str] = "consumption.paused"
    version: ClassVar[str] = "1.1"

    queue: str
    reason: str
    # Since 1.1.
    detail: str = ""
    ends_at: datetime | None = None


class ConsumptionResumedV1(Fact):
    type: ClassVar[str] = "consumption.resumed"

    queue: str
    reason: str


DOCUMENT_FACTS: tuple[type[DocumentFact], ...] = (
    DocumentAcceptedV1,
    DocumentStartedV1,
    DocumentProgressV1,
    DocumentWaitingV1,
    DocumentExtractedV1,
    DocumentFailedV1,
    DocumentStoredV1,
    DocumentFinalisedV1,
    DocumentEndedV1,
    DocumentCancelledV1,
    DocumentDeletedV1,
    DocumentErasedV1,
    DocumentSplitFailedV1,
    ReviewOpenedV1,
    ReviewClaimedV1,
    ReviewReleasedV1,
    ReviewDecidedV1,
    ReviewReopenedV1,
    ReviewOverdueV1,
)
FACTS: tuple[type[Fact], ...] = (
    *DOCUMENT_FACTS,
    BatchCompletedV1,
    ReplaySettledV1,
    ConsumptionPausedV1,
    ConsumptionResumedV1,
    ConsumptionSteeredV1,
    ProcessReportedV1,
    ServiceLevelBreachedV1,
    ServiceLevelRestoredV1,
)
