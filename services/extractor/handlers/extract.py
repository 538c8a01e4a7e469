"""Read a document with the engine, keep the answer, then order that it be stored.

The engine is slow and may cost money, so it runs outside any transaction, and its answer is
kept in a short one of its own before anything else: a crash right after it costs nothing but
time. Whoever uploads the same content again gets the kept answer, marked as such.
"""

import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from services.extractor.domain.extraction import copy_for, extraction_of
from services.extractor.domain.reading import LONG, Reading, Scan
from services.extractor.domain.sightings import Sighting, kept_sighting, sighting
from services.extractor.handlers.beginning import begin
from services.extractor.handlers.deadlines import Deadline
from services.extractor.handlers.finishing import finish
from services.extractor.handlers.leasing import LOST, TakenOver, held, require_ours
from services.extractor.handlers.long_documents import thought_about
from services.extractor.handlers.progress import reporting
from services.extractor.handlers.recognised_words import keep_copy, keep_words
from services.extractor.handlers.withdraw import (
    erase_answers,
    forget_answers,
    refuse_withdrawn,
)
from services.extractor.ports import Answered, Lease, Ports, Processed
from shared.blobs.pieces import in_one_piece
from shared.bus.jobs import Job
from shared.contracts.extraction import ExtractionV1
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import Rejected, Retryable, Withdrawn
from shared.failpoints import failpoint
from shared.ledger.together import Turn
from shared.observability.exposition import observe
from shared.observability.metrics import (
    CACHE_HITS,
    EXTRACTION_CONFIDENCE,
    PROCESSING_DURATION_SECONDS,
)

log = logging.getLogger(__name__)

DATA_ONLY = frozenset({"application/xml", "text/xml"})
# What was read, where it lies, and what it tells of its issuer unless another document did.
Written = tuple[ExtractionV1, str, Sighting | None]


async def extract_document(job: Job[ExtractDocumentV1], use: Ports) -> None:
    engine = use.engine.wanted(_wanted(job.body))
    if engine is not use.engine:
        use = replace(use, engine=engine)
    try:
        await _unless_withdrawn(job, use)
    except Withdrawn:
        # Without a result of its own: a copy must not end as the duplicate of nothing.
        async with use.ledger.unit() as unit:
            await forget_answers(unit, [job.body.document_id], use)
        await erase_answers([job.body.document_id], use)
        raise


def _wanted(order: ExtractDocumentV1) -> str | None:
    # Of what has no page, only one engine can make anything.
    return None if order.media_type in DATA_ONLY else order.engine


async def _unless_withdrawn(job: Job[ExtractDocumentV1], use: Ports) -> None:
    try:
        await _extract(job, use)
    except (Rejected, Retryable) as error:
        # Erased while it was being read, it has not failed. Whoever cannot ask fails for his
        # own reason.
        with suppress(Retryable):
            async with use.ledger.unit() as unit:
                await refuse_withdrawn(unit, job.body.document_id, use)
                if isinstance(error, Rejected) or _is_last(job, use):
                    await use.own_readings.forget_own_readings(unit, [job.body.document_id])
        raise


def _is_last(job: Job[ExtractDocumentV1], use: Ports) -> bool:
    return job.attempt >= use.terms.attempts_max


async def _extract(job: Job[ExtractDocumentV1], use: Ports) -> None:
    order, deadline = job.body, Deadline(use.terms.reading_s)
    answer = None
    while answer is None:
        found = await begin(job, use)
        if isinstance(found, Lease):
            answer = await _read(job, found, deadline, use)
        else:
            # None when its bytes are lost. It is forgotten then, so the next look reads anew.
            answer = await _kept_answer(order, found, use)
    extraction, extraction_key, seen = answer

    await failpoint("extractor.before_commit")
    async with _erased_if_withdrawn(extraction_key, use):
        await finish(job, extraction, extraction_key, seen, use)
    CACHE_HITS.inc(extraction.cache_hit)
    EXTRACTION_CONFIDENCE.observe(extraction.confidence)


async def _kept_answer(
    order: ExtractDocumentV1, known: Processed, use: Ports
) -> Written | None:
    try:
        raw = await use.blobs.read(known.extraction_key)
    except Rejected as error:
        if error.reason not in LOST:
            raise
        # Not the document's fault, so it is read anew.
        async with use.ledger.unit() as unit:
            await use.processed.forget_processed(unit, [known.document_id])
        return None
    kept = ExtractionV1.model_validate_json(raw)
    # Our own answer, kept before we were interrupted: no hit, or the document would end as a
    # duplicate of itself and its result would never be written.
    if known.document_id != order.document_id:
        words_key = await keep_copy(order.document_id, kept, use)
        extraction = copy_for(order, kept, words_key)
        return extraction, await _write(extraction, use), None
    return kept, await _write(kept, use), kept_sighting(kept)


async def _read(
    job: Job[ExtractDocumentV1], lease: Lease, deadline: Deadline, use: Ports
) -> Written:
    order = job.body
    async with held(lease, use):
        async with deadline.kept():
            reading = await _reading(job, lease, deadline, use)
        extraction = await thought_about(
            reading.is_long,
            extraction_of,
            order,
            reading,
            use.engine.config,
            words_key=await keep_words(order.document_id, reading, use),
        )
        extraction_key = await _write(extraction, use)
        async with _erased_if_withdrawn(extraction_key, use):
            answered = Answered(lease, extraction_key, extraction.degraded)
            is_kept = await use.keeping(answered, partial(_keep_together, use=use))
            if not is_kept:
                async with use.ledger.apart() as unit:
                    await refuse_withdrawn(unit, order.document_id, use)
    await failpoint("extractor.answer_kept")
    if not is_kept:
        raise TakenOver
    return extraction, extraction_key, sighting(reading)


async def _keep_together(turn: Turn[Answered], use: Ports) -> Sequence[bool]:
    answers = await turn.take()
    async with use.ledger.apart() as unit:
        kept = await use.processed.keep_processed(unit, answers)
    return [one.lease.token in kept for one in answers]


async def _reading(
    job: Job[ExtractDocumentV1], lease: Lease, deadline: Deadline, use: Ports
) -> Reading:
    order = job.body
    content = await use.blobs.read(order.content_key, limit_bytes=use.scan_bytes_max)
    scan = Scan(
        document_id=order.document_id,
        owner_id=order.owner_id,
        sha256=order.sha256,
        media_type=order.media_type,
        content=content,
        accepted_on=order.accepted_at.date(),
        is_last_attempt=_is_last(job, use),
        left_s=deadline.left_s,
        require_ours=partial(require_ours, lease, use),
    )
    began_at = time.monotonic()
    with reporting(job, use) as progress:
        reading = await use.engine.read(scan, progress)
    seconds = time.monotonic() - began_at
    observe(PROCESSING_DURATION_SECONDS, seconds)
    await failpoint("extractor.engine_answered")
    if reading is None:
        raise Rejected("no_engine", f"no engine here reads {order.media_type}")
    log.info("document_read", extra=_told(reading, seconds))
    return reading


def _told(reading: Reading, seconds: float) -> dict[str, Any]:
    """For the job's log: how it was read, and nothing of what stands in it."""
    return {
        "engine": reading.engine,
        "pages": reading.page_count,
        "fields": sum(one.value is not None for one in reading.fields.values()),
        "confidence": reading.confidence,
        "findings": [f"{one.severity} {one.code}" for one in reading.findings],
        "versions": dict(reading.versions),
        "degraded": reading.degraded,
        "seconds": round(seconds, 3),
    }


@asynccontextmanager
async def _erased_if_withdrawn(extraction_key: str, use: Ports) -> AsyncIterator[None]:
    """What was read meanwhile is told to nobody, so nobody else would erase it."""
    try:
        yield
    except Withdrawn:
        await use.blobs.delete(extraction_key)
        raise


async def _write(extraction: ExtractionV1, use: Ports) -> str:
    raw = await thought_about(len(extraction.fields) > LONG, extraction.to_bytes)
    blob = await use.blobs.write(in_one_piece(raw))
    return blob.key
