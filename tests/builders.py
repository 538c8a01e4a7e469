"""Jobs, orders and facts for tests: complete, and different only where a test says so.

A test names what it is about (`started(attempt=2)`); everything else comes from here, so a new
field in a contract changes one place.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import TypeVar
from uuid import UUID, uuid4

from shared.blobs.keys import content_key
from shared.bus.headers import REPLAY, REPLY_TO, RUN
from shared.bus.jobs import Job
from shared.contracts.body import Body, DocumentBody, Priority
from shared.contracts.extraction import ExtractedField, ExtractionV1, Summary
from shared.contracts.facts import (
    DocumentAcceptedV1,
    DocumentCancelledV1,
    DocumentDeletedV1,
    DocumentEndedV1,
    DocumentErasedV1,
    DocumentExtractedV1,
    DocumentFailedV1,
    DocumentFinalisedV1,
    DocumentProgressV1,
    DocumentSplitFailedV1,
    DocumentStartedV1,
    DocumentStoredV1,
    DocumentWaitingV1,
    ReviewClaimedV1,
    ReviewDecidedV1,
    ReviewOpenedV1,
    ReviewOverdueV1,
    ReviewReleasedV1,
    ReviewReopenedV1,
)
from shared.contracts.identity import new_id
from shared.contracts.orders import (
    ExtractDocumentV1,
    FinaliseDocumentV1,
    OpenReviewV1,
    ReextractDocumentV1,
    SplitDocumentV1,
    StoreDocumentV1,
    SubmitDocumentV1,
)
from shared.topology.queues import WORK_QUEUES

B = TypeVar("B", bound=Body)
D = TypeVar("D", bound=DocumentBody)

OWNER = "acme"
ACCEPTED_AT = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
PDF = b"%PDF-1.7\n% one page, as far as any test cares\n%%EOF\n"
SHA256 = sha256(PDF).hexdigest()
CONTENT_KEY = content_key(SHA256)
SUMMARY = Summary(
    vendor_name="Nordlicht GmbH",
    invoice_number="R-2026-0815",
    invoice_date="2026-03-01",
    total="119.00",
    currency="EUR",
)


def job(
    body: B,
    *,
    job_id: UUID | None = None,
    attempt: int = 1,
    run: int = 0,
    replay_id: UUID | None = None,
    reply_to: str | None = None,
) -> Job[B]:
    """A delivery of this body to the queue that takes it."""
    headers: Mapping[str, str] = {
        **({RUN: str(run)} if run else {}),
        **({REPLAY: str(replay_id)} if replay_id else {}),
        **({REPLY_TO: reply_to} if reply_to else {}),
    }
    queue = next(queue.name for queue in WORK_QUEUES if type(body) in queue.takes)
    priority = getattr(body, "priority", Priority.NORMAL)
    return Job(body, job_id or new_id(), queue, attempt, int(priority), headers)


# Orders. Anything of the contract may be given by name.


def submit_document(**given: object) -> SubmitDocumentV1:
    known = {"owner_id": OWNER, "idempotency_key": "order-1", "content_key": CONTENT_KEY}
    return SubmitDocumentV1.model_validate(known | given)


def extract_document(**given: object) -> ExtractDocumentV1:
    return _of_a_document(
        ExtractDocumentV1,
        given,
        content_key=CONTENT_KEY,
        sha256=SHA256,
        size_bytes=len(PDF),
        media_type="application/pdf",
        filename="invoice.pdf",
    )


def store_document(**given: object) -> StoreDocumentV1:
    return _of_a_document(
        StoreDocumentV1,
        given,
        extraction_key=content_key(sha256(b"extraction").hexdigest()),
        sha256=SHA256,
        engine="pdf_text",
        confidence=0.9,
    )


def split_document(**given: object) -> SplitDocumentV1:
    parts = [{"document_id": uuid4(), "pages": [1]}, {"document_id": uuid4(), "pages": [2]}]
    return _of_a_document(SplitDocumentV1, given, parts=parts, reviewer="anna")


def reextract_document(**given: object) -> ReextractDocumentV1:
    return _of_a_document(ReextractDocumentV1, given, result_version=1, reviewer="anna")


def open_review(**given: object) -> OpenReviewV1:
    return _of_a_document(
        OpenReviewV1,
        given,
        extraction_key=content_key(sha256(b"extraction").hexdigest()),
        result_version=1,
        sha256=SHA256,
        engine="pdf_text",
        confidence=0.9,
    )


def finalise_document(**given: object) -> FinaliseDocumentV1:
    return _of_a_document(
        FinaliseDocumentV1,
        given,
        extraction_key=content_key(sha256(b"reviewed").hexdigest()),
        verdict="approved",
        reviewer="anna",
        review_revision=1,
    )


# Facts, under the name of what happened.


def accepted(**given: object) -> DocumentAcceptedV1:
    return _of_a_document(
        DocumentAcceptedV1,
        given,
        sha256=SHA256,
        media_type="application/pdf",
        size_bytes=len(PDF),
        filename="invoice.pdf",
    )


def started(**given: object) -> DocumentStartedV1:
    return _of_a_document(DocumentStartedV1, given, attempt=1)


def progressed(**given: object) -> DocumentProgressV1:
    return _of_a_document(DocumentProgressV1, given, percent=40, stage="extract")


def waiting(**given: object) -> DocumentWaitingV1:
    return _of_a_document(
        DocumentWaitingV1,
        given,
        stage="extractor.extract",
        reason="provider rate limit",
        attempt=1,
    )


def extracted(**given: object) -> DocumentExtractedV1:
    return _of_a_document(DocumentExtractedV1, given, engine="pdf_text", confidence=0.9)


def failed(**given: object) -> DocumentFailedV1:
    return _of_a_document(
        DocumentFailedV1, given, stage="extractor.extract", reason="unreadable", attempts=1
    )


def stored(**given: object) -> DocumentStoredV1:
    return _of_a_document(
        DocumentStoredV1,
        given,
        result_version=1,
        result_key="data/json/2026/03/14/one.json",
        engine="pdf_text",
        confidence=0.9,
        summary=SUMMARY,
    )


def finalised(**given: object) -> DocumentFinalisedV1:
    return _of_a_document(
        DocumentFinalisedV1,
        given,
        result_version=2,
        result_key="data/json/2026/03/14/two.json",
        verdict="approved",
        summary=SUMMARY,
    )


def ended(**given: object) -> DocumentEndedV1:
    return _of_a_document(DocumentEndedV1, given, status="completed")


def cancelled(**given: object) -> DocumentCancelledV1:
    return _of_a_document(DocumentCancelledV1, given)


def deleted(**given: object) -> DocumentDeletedV1:
    return _of_a_document(DocumentDeletedV1, given)


def erased(**given: object) -> DocumentErasedV1:
    return _of_a_document(DocumentErasedV1, given, service="storage")


def split_failed(**given: object) -> DocumentSplitFailedV1:
    return _of_a_document(
        DocumentSplitFailedV1, given, parts=[uuid4(), uuid4()], reason="bad_split"
    )


def review_opened(**given: object) -> ReviewOpenedV1:
    return _of_a_document(ReviewOpenedV1, given, confidence=0.9)


def review_claimed(**given: object) -> ReviewClaimedV1:
    known = {"result_version": 1, "review_revision": 0, "turn": 1}
    return _of_a_document(ReviewClaimedV1, given, reviewer="anna", **known)


def review_released(**given: object) -> ReviewReleasedV1:
    known = {"result_version": 1, "review_revision": 0, "turn": 2}
    return _of_a_document(ReviewReleasedV1, given, **known)


def review_decided(**given: object) -> ReviewDecidedV1:
    return _of_a_document(ReviewDecidedV1, given, verdict="approved", reviewer="anna")


def review_reopened(**given: object) -> ReviewReopenedV1:
    known = {"verdict": "approved", "reviewer": "lena", "result_version": 1}
    return _of_a_document(ReviewReopenedV1, given, review_revision=1, **known)


def review_overdue(**given: object) -> ReviewOverdueV1:
    return _of_a_document(ReviewOverdueV1, given, due_at=ACCEPTED_AT, result_version=1)


def extraction(**given: object) -> ExtractionV1:
    known = {
        "document_id": uuid4(),
        "owner_id": OWNER,
        "accepted_at": ACCEPTED_AT,
        "sha256": SHA256,
        "media_type": "application/pdf",
        "filename": "invoice.pdf",
        "page_count": 1,
        "engine": "pdf_text",
        "config": "test-1",
        "confidence": 0.9,
        "fields": {
            "seller.name": read_as(SUMMARY.vendor_name),
            "invoice_number": read_as(SUMMARY.invoice_number),
            "issue_date": read_as(SUMMARY.invoice_date),
            "total": read_as(SUMMARY.total),
            "currency": read_as(SUMMARY.currency),
        },
    }
    return ExtractionV1.model_validate(known | given)


def read_as(value: str | None, confidence: float = 0.9) -> ExtractedField:
    return ExtractedField(
        value=value,
        raw=value,
        confidence=confidence if value is not None else 0.0,
        status="extracted" if value is not None else "missing",
        source="pdf_text" if value is not None else None,
    )


def _of_a_document(kind: type[D], given: Mapping[str, object], **known: object) -> D:
    document = {"document_id": uuid4(), "owner_id": OWNER, "accepted_at": ACCEPTED_AT}
    return kind.model_validate({**document, **known, **given})
