"""What is said of a document on its way: that it was begun, what was read, and to store it."""

from typing import Any

from shared.bus.jobs import Job
from shared.contracts.body import DocumentBody
from shared.contracts.extraction import ExtractionV1
from shared.contracts.facts import DocumentExtractedV1, DocumentStartedV1
from shared.contracts.orders import ExtractDocumentV1, StoreDocumentV1


def started(job: Job[ExtractDocumentV1]) -> DocumentStartedV1:
    return DocumentStartedV1(attempt=job.attempt, cause_id=job.job_id, **_document(job.body))


def store(order: ExtractDocumentV1, extraction: ExtractionV1, key: str) -> StoreDocumentV1:
    return StoreDocumentV1(
        extraction_key=key,
        sha256=order.sha256,
        engine=extraction.engine,
        confidence=extraction.confidence,
        cache_hit=extraction.cache_hit,
        replaces_version=order.replaces_version,
        due_at=order.due_at,
        **_document(order),
    )


def extracted(job: Job[ExtractDocumentV1], extraction: ExtractionV1) -> DocumentExtractedV1:
    return DocumentExtractedV1(
        engine=extraction.engine,
        confidence=extraction.confidence,
        cache_hit=extraction.cache_hit,
        cause_id=job.job_id,
        **_document(job.body),
    )


def _document(order: DocumentBody) -> dict[str, Any]:
    """What every message about a document carries."""
    return {
        "document_id": order.document_id,
        "owner_id": order.owner_id,
        "accepted_at": order.accepted_at,
        "priority": order.priority,
    }
