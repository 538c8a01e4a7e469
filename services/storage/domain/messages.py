"""What is kept and told about a stored result: the row, the next order, the facts."""

from typing import Any

from services.storage.domain.layout import Layout
from services.storage.domain.results import Files, Result, ResultOrder, StoredResult
from shared.bus.jobs import Job
from shared.contracts.facts import DocumentFinalisedV1, DocumentStoredV1
from shared.contracts.orders import FinaliseDocumentV1, OpenReviewV1, StoreDocumentV1


def stored_result(
    order: ResultOrder, result: Result, layout: Layout, files: Files | None
) -> StoredResult:
    document_id, version = result.identity
    has_files = not result.is_copy
    return StoredResult(
        document_id=document_id,
        version=version,
        owner_id=order.owner_id,
        accepted_at=order.accepted_at,
        extraction_key=order.extraction_key,
        result_key=layout.version_key(document_id, version, "json")
        if has_files
        else order.extraction_key,
        has_files=has_files,
        verdict=result.verdict,
        reading=result.number.reading,
        review_revision=result.review_revision,
        result_sha256=files.result_sha256 if files else None,
        table=files.table if files else None,
    )


def open_review(order: StoreDocumentV1, row: StoredResult) -> OpenReviewV1:
    return OpenReviewV1(
        extraction_key=order.extraction_key,
        result_version=row.version,
        sha256=order.sha256,
        engine=order.engine,
        confidence=order.confidence,
        duplicate=order.cache_hit,
        due_at=order.due_at,
        **_document(order),
    )


def document_stored(
    job: Job[StoreDocumentV1], row: StoredResult, result: Result
) -> DocumentStoredV1:
    return DocumentStoredV1(
        cause_id=job.job_id,
        result_version=row.version,
        result_key=row.result_key,
        engine=job.body.engine,
        confidence=job.body.confidence,
        duplicate=job.body.cache_hit,
        summary=result.extraction.summary(),
        **_document(job.body),
    )


def document_finalised(
    job: Job[FinaliseDocumentV1], row: StoredResult, result: Result, *, superseded: bool
) -> DocumentFinalisedV1:
    return DocumentFinalisedV1(
        cause_id=job.job_id,
        result_version=row.version,
        result_key=row.result_key,
        verdict=job.body.verdict,
        summary=result.extraction.summary(),
        superseded=superseded,
        **_document(job.body),
    )


def _document(order: ResultOrder) -> dict[str, Any]:
    """What every message about a document carries."""
    return {
        "document_id": order.document_id,
        "owner_id": order.owner_id,
        "accepted_at": order.accepted_at,
        "priority": order.priority,
    }
