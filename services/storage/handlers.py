"""Keep what was read, and what a reviewer made of it, as JSON and Parquet.

Every version is written under its own keys before the commit that names it, so a committed
result always has its files. The dated paths come after the commit, under a row lock, and what
a crash left unpublished is found by its row and published later.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from uuid import UUID

from services.storage.domain.messages import (
    document_finalised,
    document_stored,
    open_review,
    stored_result,
)
from services.storage.domain.results import (
    FIRST,
    Number,
    Origin,
    Result,
    ResultOrder,
    Unpublished,
    dated_key,
    json_of,
    origin_of,
    result_of,
    row_of,
    version_key,
    versions_prefix,
)
from services.storage.ports import Ports
from shared.blobs.kept import read_kept
from shared.bus.jobs import Job
from shared.contracts.body import DocumentBody
from shared.contracts.extraction import ExtractionV1
from shared.contracts.facts import (
    DocumentCancelledV1,
    DocumentDeletedV1,
    DocumentErasedV1,
)
from shared.contracts.orders import FinaliseDocumentV1, StoreDocumentV1
from shared.errors import Rejected, Retryable, Withdrawn
from shared.failpoints import failpoint
from shared.ledger.port import Unit

REPAIRED_AT_ONCE = 100
SUFFIXES = ("json", "parquet")

T = TypeVar("T")
O = TypeVar("O", StoreDocumentV1, FinaliseDocumentV1)  # noqa: E741 -- an order
log = logging.getLogger(__name__)


async def store_documents(jobs: Sequence[Job[StoreDocumentV1]], use: Ports) -> None:
    results = await _results(jobs, use)
    files = await _write_versions(list(results.values()), use)

    async with _handling(jobs, use) as (unit, fresh):
        rows = [stored_result(job.body, results[job.job_id]) for job in fresh]
        await use.results.keep_stored(unit, rows)
        for job, row in zip(fresh, rows, strict=True):
            unit.send(open_review(job.body, row), cause=job)
            unit.send(document_stored(job, row, results[job.job_id]), cause=job)
    await _publish_now([row.document_id for row in rows if row.has_files], files, use)


async def finalise_documents(jobs: Sequence[Job[FinaliseDocumentV1]], use: Ports) -> None:
    results = await _results(jobs, use)
    files = await _write_versions(list(results.values()), use)

    async with _handling(jobs, use) as (unit, fresh):
        rows = [stored_result(job.body, results[job.job_id]) for job in fresh]
        await use.results.keep_stored(unit, rows)
        for job, row in zip(fresh, rows, strict=True):
            unit.send(document_finalised(job, row, results[job.job_id]), cause=job)
    await _publish_now([row.document_id for row in rows], files, use)


async def withdraw_documents(
    jobs: Sequence[Job[DocumentCancelledV1 | DocumentDeletedV1]], use: Ports
) -> None:
    bodies = {job.body.document_id: job.body for job in jobs}
    deleted = {job.body.document_id for job in jobs if isinstance(job.body, DocumentDeletedV1)}

    async with use.ledger.unit() as unit:
        await use.withdrawals.lock_documents(unit, sorted(bodies))
        await use.withdrawals.note_withdrawn(unit, sorted(bodies.keys() - deleted), "cancelled")
        await use.withdrawals.note_withdrawn(unit, sorted(deleted), "deleted")
        # A result may have been kept before its document was withdrawn, and told too late.
        extractions = await use.results.erase_results(unit, sorted(bodies))
        await _erase_files(bodies.values(), use)
        await _all(use.blobs.delete(key) for key in sorted({*extractions}))
        _report_erased(unit, jobs)


def _report_erased(
    unit: Unit, jobs: Sequence[Job[DocumentCancelledV1 | DocumentDeletedV1]]
) -> None:
    for job in jobs:
        if isinstance(job.body, DocumentDeletedV1):
            unit.send(
                DocumentErasedV1.after(job.body, service="storage", cause_id=job.job_id),
                cause=job,
            )


async def repair_outputs(use: Ports, *, older_than_s: float) -> int:
    """Publish what a crash or an absent object store left behind; how many it were."""
    async with use.ledger.unit() as unit:
        behind = await use.results.lock_forgotten(unit, older_than_s, REPAIRED_AT_ONCE)
        return await _publish(unit, behind, {}, use)


async def _results(jobs: Sequence[Job[O]], use: Ports) -> dict[UUID, Result]:
    """By job: what each of them asks to be kept."""
    orders: list[O] = [job.body for job in jobs]
    async with use.ledger.unit() as unit:
        await _refuse_withdrawn(unit, orders, use)
        numbers = await _numbers(unit, [origin_of(order) for order in orders], use)
    extractions = await _all(_extraction(order.extraction_key, use) for order in orders)
    return {
        job.job_id: result_of(job.body, one, numbers[origin_of(job.body)])
        for job, one in zip(jobs, extractions, strict=True)
    }


async def _numbers(
    unit: Unit, origins: Sequence[Origin], use: Ports
) -> Mapping[Origin, Number]:
    """Committed before a file is written under one of them, and the same at every attempt."""
    known = {one: FIRST for one in origins if one.is_first}
    others = sorted({*origins} - {*known}, key=lambda one: one.document_id)
    if not others:
        return known
    await use.withdrawals.lock_documents(unit, [one.document_id for one in others])
    found = await use.results.number_versions(unit, others)
    if len(found) < len(others):
        # Two of one document wanted the same number at once: the later now sees the earlier.
        raise Retryable("two versions met at one number", after_s=1)
    return {**known, **found}


async def _extraction(key: str, use: Ports) -> ExtractionV1:
    raw = await read_kept(use.blobs, key, limit_bytes=use.extraction_bytes_max)
    return ExtractionV1.model_validate_json(raw)


async def _write_versions(results: Sequence[Result], use: Ports) -> Mapping[str, bytes]:
    """What was written, by key. What is committed already is left as it is."""
    async with use.ledger.unit() as unit:
        kept = await use.results.find_stored(unit, [one.identity for one in results])
    # A copy of known content gets no files: an analyst must not count an invoice twice.
    new = [one for one in results if one.identity not in kept and not one.is_copy]
    tables = await use.tables.files_of([row_of(one) for one in new])
    files: dict[str, bytes] = {}
    for one, table in zip(new, tables, strict=True):
        files[one.file_key("json")] = json_of(one)
        files[one.file_key("parquet")] = table
    await use.blobs.put_all(files)
    return files


@asynccontextmanager
async def _handling(
    jobs: Sequence[Job[O]], use: Ports
) -> AsyncIterator[tuple[Unit, list[Job[O]]]]:
    """The commit, with those of the jobs that nobody had finished yet."""
    await failpoint("storage.before_commit")
    async with use.ledger.handling(*jobs) as unit:
        ids = {job.job_id for job in unit.jobs}
        fresh = [job for job in jobs if job.job_id in ids]
        await use.withdrawals.lock_documents(
            unit, sorted({job.body.document_id for job in fresh})
        )
        await _refuse_withdrawn(unit, [job.body for job in fresh], use)
        yield unit, fresh


async def _publish_now(
    document_ids: Sequence[UUID], files: Mapping[str, bytes], use: Ports
) -> None:
    # The results are committed, so nothing may fail the jobs any more: what cannot be
    # published now is found by its row, by the repair that runs in the background.
    await failpoint("storage.committed")
    try:
        async with use.ledger.unit() as unit:
            behind = await use.results.lock_unpublished(unit, document_ids)
            await _publish(unit, behind, files, use)
    except Retryable as error:
        log.warning("publishing_left_to_repair", extra={"cause": str(error)})


async def _publish(
    unit: Unit, behind: Sequence[Unpublished], files: Mapping[str, bytes], use: Ports
) -> int:
    """Bring the dated paths up to the current version, while the unit holds their rows.

    The lock keeps an older version from overwriting a newer one: whoever holds the row knows
    which version is current, writes that, and marks it, before anybody else may.
    """
    copies = await _all(_copies(one, files, use) for one in behind)
    whole = [one for one, copy in zip(behind, copies, strict=True) if copy]
    if whole:
        await use.blobs.put_all({key: data for one in copies for key, data in one.items()})
        await failpoint("storage.published")
        await use.results.mark_published(unit, [one.document_id for one in whole])
    return len(whole)


async def _copies(
    one: Unpublished, files: Mapping[str, bytes], use: Ports
) -> Mapping[str, bytes]:
    """The files of the current version under their dated keys; none when one is lost."""
    copies: dict[str, bytes] = {}
    for suffix in SUFFIXES:
        key = version_key(one.document_id, one.version, suffix)
        try:
            data = files[key] if key in files else await use.blobs.read(key)
        except Rejected as error:
            # A committed version without its file: a person must look, others must not wait.
            log.error("version_lost", extra={"key": key, "reason": error.reason})  # noqa: TRY400
            return {}
        copies[dated_key(one.document_id, one.accepted_at, suffix)] = data
    return copies


async def _refuse_withdrawn(unit: Unit, orders: Sequence[ResultOrder], use: Ports) -> None:
    withdrawn = await use.withdrawals.find_withdrawn(unit, [one.document_id for one in orders])
    if withdrawn:
        # This attempt, or one that was killed, may have written files since they were erased.
        gone = [one for one in orders if one.document_id in withdrawn]
        await _erase_files(gone, use)
        # No row of ours will ever say where what was read of them lies.
        keys = {one.extraction_key for one in gone}
        await _all(use.blobs.delete(key) for key in sorted(keys))
        # One withdrawn document ends the batch; the consumer then takes its jobs one by one.
        raise Withdrawn


async def _erase_files(bodies: Iterable[DocumentBody], use: Ports) -> None:
    await _all(_erase(body, use) for body in bodies)


async def _erase(body: DocumentBody, use: Ports) -> None:
    dated = [dated_key(body.document_id, body.accepted_at, suffix) for suffix in SUFFIXES]
    versions = [key async for key in use.blobs.list(versions_prefix(body.document_id))]
    for key in (*dated, *versions):
        await use.blobs.delete(key)


async def _all(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Everything at once; an error only when nothing is left running behind it."""
    done: list[T] = []
    for one in await asyncio.gather(*work, return_exceptions=True):
        if isinstance(one, BaseException):
            raise one
        done.append(one)
    return done
