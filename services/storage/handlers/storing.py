"""Keep what was read, and what a reviewer made of it, as JSON and Parquet.

Every version is written under its own keys before the commit that names it, so a committed
result always has its files. The dated paths come after the commit, under a row lock, and what
a crash left unpublished is found by its row and published later.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeVar
from uuid import UUID

from services.storage.domain.messages import (
    document_finalised,
    document_stored,
    open_review,
    stored_result,
)
from services.storage.domain.results import (
    Files,
    Number,
    Origin,
    Result,
    ResultOrder,
    Shown,
    StoredResult,
    Table,
    is_overtaken,
    json_of,
    origin_of,
    result_of,
    shown_with,
)
from services.storage.domain.rows import row_of, sorted_by
from services.storage.handlers.listing import list_kept
from services.storage.handlers.publishing import publish_now
from services.storage.handlers.withdrawing import refuse_withdrawn
from services.storage.ports import Ports
from shared.at_once import at_once
from shared.blobs.kept import read_kept
from shared.bus.jobs import Job
from shared.contracts.extraction import ExtractionV1
from shared.contracts.orders import FinaliseDocumentV1, StoreDocumentV1
from shared.errors import LostRace
from shared.failpoints import failpoint
from shared.ledger.port import Unit

WRITTEN_AT_ONCE = 25

O = TypeVar("O", StoreDocumentV1, FinaliseDocumentV1)  # noqa: E741 -- an order


@dataclass(frozen=True, slots=True)
class Written:
    """What this attempt has written: under which keys, and what the files of a version are."""

    keys: set[str]
    files: dict[tuple[UUID, int], Files]


async def store_documents(jobs: Sequence[Job[StoreDocumentV1]], use: Ports) -> None:
    results = await _results(jobs, use)
    written = await _write_versions(list(results.values()), use)

    async with _handling(jobs, use) as (unit, fresh):
        rows = [_row(job.body, results[job.job_id], written, use) for job in fresh]
        shown = await _keep(unit, rows, [results[job.job_id] for job in fresh], use)
        for job, row in zip(fresh, rows, strict=True):
            if shown[row.document_id].reading > row.reading:
                # It lost the place to another one, which nobody is to be sent back behind.
                continue
            unit.send(open_review(job.body, row), cause=job)
            unit.send(document_stored(job, row, results[job.job_id]), cause=job)
    await publish_now([row.document_id for row in rows if row.has_files], written.keys, use)


async def finalise_documents(jobs: Sequence[Job[FinaliseDocumentV1]], use: Ports) -> None:
    results = await _results(jobs, use)
    written = await _write_versions(list(results.values()), use)

    async with _handling(jobs, use) as (unit, fresh):
        rows = [_row(job.body, results[job.job_id], written, use) for job in fresh]
        shown = await _keep(unit, rows, [results[job.job_id] for job in fresh], use)
        for job, row in zip(fresh, rows, strict=True):
            late = shown[row.document_id].rank > row.as_shown.rank
            result = results[job.job_id]
            unit.send(document_finalised(job, row, result, superseded=late), cause=job)
    await publish_now([row.document_id for row in rows], written.keys, use)


async def _results(jobs: Sequence[Job[O]], use: Ports) -> dict[UUID, Result]:
    """By job: what each of them asks to be kept."""
    orders: list[O] = [job.body for job in jobs]
    async with use.ledger.unit() as unit:
        # Withdrawing one of them waits: a number given behind its back would stay.
        await use.withdrawals.lock_documents(unit, sorted({one.document_id for one in orders}))
        await refuse_withdrawn(unit, orders, use)
        numbers = await _numbers(unit, [origin_of(order) for order in orders], use)
    extractions = await at_once(_extraction(order.extraction_key, use) for order in orders)
    return {
        job.job_id: result_of(job.body, one, numbers[origin_of(job.body)])
        for job, one in zip(jobs, extractions, strict=True)
    }


async def _numbers(
    unit: Unit, origins: Sequence[Origin], use: Ports
) -> Mapping[Origin, Number]:
    """Committed before a file is written under one of them, and the same at every attempt."""
    wanted = sorted({*origins}, key=lambda one: one.document_id)
    found = await use.results.number_versions(unit, wanted)
    if len(found) < len(wanted):
        # Two of one document wanted the same number at once: the later now sees the earlier.
        raise LostRace("two versions met at one number", after_s=1)
    return found


async def _extraction(key: str, use: Ports) -> ExtractionV1:
    raw = await read_kept(use.blobs, key, limit_bytes=use.extraction_bytes_max)
    return ExtractionV1.model_validate_json(raw)


async def _write_versions(results: Sequence[Result], use: Ports) -> Written:
    """What is committed already is left as it is."""
    # A copy of known content gets no files: an analyst must not count an invoice twice.
    new = [one for one in results if not one.is_copy]
    if new:
        async with use.ledger.apart() as unit:
            kept = await use.results.find_stored(unit, [one.identity for one in new])
        new = [one for one in new if one.identity not in kept]
    await failpoint("storage.before_write")
    written, encoding = Written(set(), {}), asyncio.Lock()

    async def write(some: Sequence[Result]) -> None:
        # While the disk is waited for, the next ones are encoded.
        async with encoding:
            files = await _encode(some, written, use)
        await use.blobs.put_all(files)

    await at_once(
        write(new[first : first + WRITTEN_AT_ONCE])
        for first in range(0, len(new), WRITTEN_AT_ONCE)
    )
    await failpoint("storage.written")
    return written


async def _encode(some: Sequence[Result], written: Written, use: Ports) -> Mapping[str, bytes]:
    rows = [row_of(one) for one in some]
    files: dict[str, bytes] = {}
    for one, row, table in zip(some, rows, await use.tables.files_of(rows), strict=True):
        result = json_of(one)
        files[use.layout.version_key(*one.identity, "json")] = result
        files[use.layout.version_key(*one.identity, "parquet")] = table
        measured = Table(len(table), sha256(table).hexdigest(), *sorted_by(row))
        written.files[one.identity] = Files(sha256(result).hexdigest(), measured)
    written.keys.update(files)
    return files


async def _keep(
    unit: Unit, rows: Sequence[StoredResult], results: Sequence[Result], use: Ports
) -> Mapping[UUID, Shown]:
    """What their documents show with them. Their locks are held."""
    shown = await use.results.find_shown(unit, sorted({one.document_id for one in rows}))
    if any(is_overtaken(one, shown.get(one.document_id)) for one in rows):
        raise LostRace("a decision over the reading before took a higher number", after_s=1)
    await use.results.keep_stored(unit, rows)
    await list_kept(unit, rows, results, use)
    return shown_with(rows, shown)


def _row(order: ResultOrder, result: Result, written: Written, use: Ports) -> StoredResult:
    return stored_result(order, result, use.layout, written.files.get(result.identity))


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
        await refuse_withdrawn(unit, [job.body for job in fresh], use)
        yield unit, fresh
