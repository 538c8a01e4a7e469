"""Keep what was read, and what a reviewer made of it, as JSON and Parquet.

Every version is written under its own keys before the commit that names it, so a committed
result always has its files. The dated paths come after the commit, under a row lock, and what
a crash left unpublished is found by its row and published later.
"""

import asyncio
import logging
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from typing import Any, TypeVar
from uuid import UUID

from services.storage.domain import (
    MACHINE_VERSION,
    Result,
    dated_key,
    json_of,
    row_of,
    version_key,
    version_of_review,
)
from services.storage.ports import Ports, StoredResult, Unpublished
from shared.bus.jobs import Job
from shared.contracts.body import Order
from shared.contracts.extraction import ExtractionV1
from shared.contracts.facts import (
    DocumentCancelledV1,
    DocumentDeletedV1,
    DocumentFinalisedV1,
    DocumentStoredV1,
)
from shared.contracts.orders import FinaliseDocumentV1, OpenReviewV1, StoreDocumentV1
from shared.errors import Retryable, Withdrawn
from shared.failpoints import failpoint
from shared.ledger.port import Unit

PUBLISHED_AT_ONCE = 100
SUFFIXES = ("json", "parquet")

T = TypeVar("T")
log = logging.getLogger(__name__)


async def store_documents(jobs: Sequence[Job[StoreDocumentV1]], use: Ports) -> None:
    results = [
        Result(extraction) for extraction in await _extractions([job.body for job in jobs], use)
    ]
    # The same content has files already, and an analyst must not count it twice.
    await _write_versions([one for one in results if not one.extraction.cache_hit], use)

    await failpoint("storage.before_commit")
    by_document = {one.document_id: one for one in results}
    async with use.ledger.handling(*jobs) as unit:
        fresh = [job for job in jobs if job in unit.jobs]
        await _refuse_withdrawn(unit, [job.body for job in fresh], use)
        rows = [_stored(job.body, by_document[job.body.document_id]) for job in fresh]
        await use.results.keep_stored(unit, rows)
        for job, row in zip(fresh, rows, strict=True):
            unit.send(_open_review(job.body, row), cause=job)
            unit.send(_document_stored(job, row, by_document[row.document_id]), cause=job)
    await _publish_now([row.document_id for row in rows if row.has_files], use)


async def finalise_documents(jobs: Sequence[Job[FinaliseDocumentV1]], use: Ports) -> None:
    extractions = await _extractions([job.body for job in jobs], use)
    results = {
        job.job_id: _reviewed(job.body, extraction)
        for job, extraction in zip(jobs, extractions, strict=True)
    }
    await _write_versions(list(results.values()), use)

    await failpoint("storage.before_commit")
    async with use.ledger.handling(*jobs) as unit:
        fresh = [job for job in jobs if job in unit.jobs]
        await _refuse_withdrawn(unit, [job.body for job in fresh], use)
        rows = [_stored(job.body, results[job.job_id]) for job in fresh]
        await use.results.keep_stored(unit, rows)
        for job, row in zip(fresh, rows, strict=True):
            unit.send(_finalised(job, row, results[job.job_id]), cause=job)
    await _publish_now([row.document_id for row in rows], use)


async def withdraw_documents(
    jobs: Sequence[Job[DocumentCancelledV1 | DocumentDeletedV1]], use: Ports
) -> None:
    deleted = {job.body.document_id for job in jobs if isinstance(job.body, DocumentDeletedV1)}
    cancelled = {job.body.document_id for job in jobs} - deleted

    async with use.ledger.unit() as unit:
        await use.withdrawals.note_withdrawn(unit, sorted(cancelled), "cancelled")
        await use.withdrawals.note_withdrawn(unit, sorted(deleted), "deleted")


async def publish_outputs(
    use: Ports, document_ids: Sequence[UUID] | None = None, limit: int = PUBLISHED_AT_ONCE
) -> int:
    """Bring the dated paths up to the current version; how many were behind.

    The lock keeps an older version from overwriting a newer one: whoever holds the row reads
    which version is current, writes that, and marks it, before anybody else may.
    """
    async with use.ledger.unit() as unit:
        behind = await use.results.lock_unpublished(unit, document_ids, limit)
        if behind:
            copies = await _all(_copies(one, use) for one in behind)
            merged = {key: data for one in copies for key, data in one.items()}
            await use.blobs.put_all(merged)
            await failpoint("storage.published")
            await use.results.mark_published(unit, behind)
    return len(behind)


async def _extractions(orders: Sequence[Order], use: Ports) -> list[ExtractionV1]:
    async with use.ledger.unit() as unit:
        await _refuse_withdrawn(unit, orders, use)
    keys = [order.extraction_key for order in orders if isinstance(order, StoredOrder)]
    return await _all(_extraction(key, use) for key in keys)


StoredOrder = StoreDocumentV1 | FinaliseDocumentV1


async def _extraction(key: str, use: Ports) -> ExtractionV1:
    raw = await use.blobs.read(key, limit_bytes=use.extraction_bytes_max)
    return ExtractionV1.model_validate_json(raw)


async def _write_versions(results: Sequence[Result], use: Ports) -> None:
    async with use.ledger.unit() as unit:
        named = [(one.document_id, one.version) for one in results]
        kept = await use.results.find_stored(unit, named)
    new = [one for one in results if (one.document_id, one.version) not in kept]
    tables = await use.tables.files_of([row_of(one) for one in new])
    files: dict[str, bytes] = {}
    for one, table in zip(new, tables, strict=True):
        files[version_key(one.document_id, one.version, "json")] = json_of(one)
        files[version_key(one.document_id, one.version, "parquet")] = table
    await use.blobs.put_all(files)


async def _publish_now(document_ids: Sequence[UUID], use: Ports) -> None:
    # The results are committed, so nothing may fail the jobs any more: what cannot be
    # published now is found by its row, by the repair that runs in the background.
    await failpoint("storage.committed")
    try:
        await publish_outputs(use, document_ids, limit=len(document_ids))
    except Retryable as error:
        log.warning("publishing_left_to_repair", extra={"cause": str(error)})


async def _copies(one: Unpublished, use: Ports) -> Mapping[str, bytes]:
    return {
        dated_key(one.document_id, one.accepted_at, suffix): await use.blobs.read(
            version_key(one.document_id, one.version, suffix)
        )
        for suffix in SUFFIXES
    }


async def _refuse_withdrawn(unit: Unit, orders: Sequence[Order], use: Ports) -> None:
    # One withdrawn document ends the batch; the consumer then takes its jobs one by one.
    if await use.withdrawals.find_withdrawn(unit, [order.document_id for order in orders]):
        raise Withdrawn


async def _all(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Everything at once; the first error only when nothing is left running behind it."""
    done = await asyncio.gather(*work, return_exceptions=True)
    for one in done:
        if isinstance(one, BaseException):
            raise one
    return [one for one in done if not isinstance(one, BaseException)]
