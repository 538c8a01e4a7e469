"""Read a document with the engine, keep the answer, then order that it be stored.

The engine is slow and may cost money, so it runs outside any transaction, and its answer is
kept in a short one of its own before anything else: a crash right after it costs nothing but
time. Whoever uploads the same content again gets the kept answer, marked as such.
"""

import time
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from services.extractor.domain.extraction import copy_for, extraction_of
from services.extractor.ports import ContentKey, Ports, Processed
from shared.blobs.pieces import in_one_piece
from shared.bus.jobs import Job
from shared.contracts.body import DocumentBody
from shared.contracts.extraction import ExtractionV1
from shared.contracts.facts import (
    DocumentCancelledV1,
    DocumentDeletedV1,
    DocumentExtractedV1,
    DocumentStartedV1,
)
from shared.contracts.orders import ExtractDocumentV1, StoreDocumentV1
from shared.errors import Rejected, Withdrawn
from shared.failpoints import failpoint
from shared.ledger.port import Unit
from shared.observability.metrics import (
    CACHE_HITS,
    EXTRACTION_CONFIDENCE,
    PROCESSING_DURATION_SECONDS,
)

# The kept answer is gone or damaged: not the document's fault, so it is read anew.
LOST = ("source_missing", "source_corrupt")


async def extract_document(job: Job[ExtractDocumentV1], use: Ports) -> None:
    try:
        await _extract(job, use)
    except Withdrawn:
        # Without a result of its own: a copy must not end as the duplicate of nothing.
        async with use.ledger.unit() as unit:
            await use.processed.forget_processed(unit, [job.body.document_id])
        raise


async def _extract(job: Job[ExtractDocumentV1], use: Ports) -> None:
    order = job.body
    known = await _begin(job, use)
    extraction = await _kept_extraction(order, known, use) if known else None
    if extraction is None:
        extraction = await _read(order, use)
    extraction_key = await _write(extraction, use)

    await failpoint("extractor.before_commit")
    async with use.ledger.handling(job) as unit:
        # It may have been withdrawn while we were reading.
        await _refuse_withdrawn(unit, order.document_id, use)
        unit.send(_store(order, extraction, extraction_key), cause=job)
        unit.send(_extracted(job, extraction), cause=job)
    CACHE_HITS.inc(extraction.cache_hit)
    EXTRACTION_CONFIDENCE.observe(extraction.confidence)


async def withdraw_documents(
    jobs: Sequence[Job[DocumentCancelledV1 | DocumentDeletedV1]], use: Ports
) -> None:
    deleted = {job.body.document_id for job in jobs if isinstance(job.body, DocumentDeletedV1)}
    cancelled = {job.body.document_id for job in jobs} - deleted

    async with use.ledger.unit() as unit:
        await use.withdrawals.note_withdrawn(unit, sorted(cancelled), "cancelled")
        await use.withdrawals.note_withdrawn(unit, sorted(deleted), "deleted")
        await use.processed.forget_processed(unit, sorted(deleted | cancelled))


async def _begin(job: Job[ExtractDocumentV1], use: Ports) -> Processed | None:
    """Says that the document is being worked on, and looks for an earlier answer."""
    order = job.body
    async with use.ledger.unit() as unit:
        await _refuse_withdrawn(unit, order.document_id, use)
        unit.send(
            DocumentStartedV1(attempt=job.attempt, cause_id=job.job_id, **_document(order)),
            cause=job,
        )
        return await use.processed.find_processed(unit, _content(order, use))


async def _kept_extraction(
    order: ExtractDocumentV1, known: Processed, use: Ports
) -> ExtractionV1 | None:
    try:
        raw = await use.blobs.read(known.extraction_key)
    except Rejected as error:
        if error.reason not in LOST:
            raise
        async with use.ledger.unit() as unit:
            await use.processed.forget_processed(unit, [known.document_id])
        return None
    kept = ExtractionV1.model_validate_json(raw)
    # Our own answer, kept before we were interrupted: no hit, or the document would end as a
    # duplicate of itself and its result would never be written.
    return kept if known.document_id == order.document_id else copy_for(order, kept)


async def _read(order: ExtractDocumentV1, use: Ports) -> ExtractionV1:
    scan = await use.blobs.read(order.content_key, limit_bytes=use.scan_bytes_max)
    begun_at = time.monotonic()
    reading = await use.engine.read(scan, order.media_type)
    PROCESSING_DURATION_SECONDS.observe(time.monotonic() - begun_at)
    await failpoint("extractor.engine_answered")

    extraction = extraction_of(order, reading, use.engine.config)
    answer = Processed(order.document_id, await _write(extraction, use))
    async with use.ledger.unit() as unit:
        kept = await use.processed.keep_processed(unit, _content(order, use), answer)
    await failpoint("extractor.answer_kept")
    if kept == answer:
        return extraction
    # A copy that was read at the same time was faster, and its answer holds.
    return await _kept_extraction(order, kept, use) or extraction


async def _write(extraction: ExtractionV1, use: Ports) -> str:
    blob = await use.blobs.write(in_one_piece(extraction.to_bytes()))
    return blob.key


async def _refuse_withdrawn(unit: Unit, document_id: UUID, use: Ports) -> None:
    if await use.withdrawals.find_withdrawn(unit, [document_id]):
        raise Withdrawn


def _content(order: ExtractDocumentV1, use: Ports) -> ContentKey:
    return ContentKey(order.owner_id, order.sha256, use.engine.config)


def _store(order: ExtractDocumentV1, extraction: ExtractionV1, key: str) -> StoreDocumentV1:
    return StoreDocumentV1(
        extraction_key=key,
        sha256=order.sha256,
        engine=extraction.engine,
        confidence=extraction.confidence,
        cache_hit=extraction.cache_hit,
        **_document(order),
    )


def _extracted(job: Job[ExtractDocumentV1], extraction: ExtractionV1) -> DocumentExtractedV1:
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
