"""Make an export: page by page from the index, each result from its file.

What is held in memory is one page at most, whatever the number of documents. A stream that
cannot go on breaks off, so that nobody takes half of it for the whole; a job begins anew.
"""

import asyncio
import hashlib
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from services.storage.domain.exports import (
    Export,
    Order,
    Place,
    part_key,
    parts_prefix,
)
from services.storage.domain.listed import Current
from services.storage.handlers.listing import clear_parts
from services.storage.ports.outlets import Outlets
from shared.at_once import at_once
from shared.blobs.kept import MISSING
from shared.errors import Rejected, Retryable
from shared.failpoints import failpoint

CLEARED_AT_ONCE = 20
BEATS = 3

Bytes = AsyncGenerator[bytes, None]
Pages = AsyncGenerator[list[bytes], None]

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Progress:
    """How far it is, for whoever looks at it meanwhile."""

    total: int = 0
    done: int = 0


class NotWanted(Exception):
    """The export was cancelled, or another run has it."""


async def stream_export(order: Order, use: Outlets, progress: Progress) -> Bytes:
    encoder = use.encoders.open(order.format, order.rows)
    try:
        async with aclosing(_pages(order, use, progress)) as pages:
            async for results in pages:
                if piece := await encoder.add(results):
                    yield piece
        async with aclosing(encoder.finish()) as rest:
            async for piece in rest:
                if piece:
                    yield piece
    finally:
        await encoder.close()


async def _pages(order: Order, use: Outlets, progress: Progress) -> Pages:
    after: Place | None = None
    while page := await use.index.list_current(order, after, use.limits.page_results):
        async for results in _portions(page, use, progress):
            yield results
        await failpoint("storage.export_page")
        after = Place(page[-1].accepted_at, page[-1].document_id)


async def _portions(page: Sequence[Current], use: Outlets, progress: Progress) -> Pages:
    """A page as a whole, or what weighs less: its results may be of any size."""
    portion, weight, reads = list[bytes](), 0, use.limits.page_reads
    for some in (page[at : at + reads] for at in range(0, len(page), reads)):
        for result in await at_once(_read(one, use) for one in some):
            if result is None:
                continue
            if portion and weight + len(result) > use.limits.page_bytes:
                yield portion
                portion, weight = [], 0
            portion.append(result)
            weight += len(result)
        progress.done += len(some)
    if portion:
        yield portion


async def _read(one: Current, use: Outlets) -> bytes | None:
    """None when the document was erased since its page was read."""
    limit = use.limits.result_bytes_max
    try:
        return await use.blobs.read(one.result_key, limit_bytes=limit)
    except Rejected as error:
        if error.reason != MISSING:
            raise
        now = await use.index.find_result(one.document_id, None)
        if now is None:
            return None
        # It lies elsewhere by now, or it is lost; then the export must not look whole.
        return await use.blobs.read(now.result_key, limit_bytes=limit)


async def run_next_export(use: Outlets) -> bool:
    """False when none waits."""
    export = await use.exports.claim_export(use.limits.lease_s)
    if export is None:
        return False
    limits = use.limits
    if export.failures >= limits.failures_max:
        # It ended its process too often.
        await use.exports.give_up_export(export, "interrupted", failures_max=0, after_s=0)
        return True
    known = {"export_id": str(export.export_id), "run": export.run}
    try:
        await _make(export, use)
    except Retryable as error:
        log.warning("export_waits", extra={**known, "reason": str(error)[:200]})
        after_s = error.after_s or limits.lease_s
        await use.exports.give_up_export(
            export, "interrupted", failures_max=limits.failures_max, after_s=after_s
        )
    except Rejected as error:
        log.exception("export_failed", extra={**known, "reason": error.reason})
        await use.exports.give_up_export(export, error.reason, failures_max=0, after_s=0)
    return True


async def _make(export: Export, use: Outlets) -> None:
    progress = Progress(await use.index.count_current(export.order))
    try:
        file = await _kept(export, progress, use)
        await failpoint("storage.export_written")
        wanted = await use.exports.complete_export(
            export,
            done=progress.done,
            parts=file.parts,
            size=file.size,
            sha256=file.digest.hexdigest(),
            keep_s=use.limits.keep_s,
        )
    except NotWanted:
        wanted = False
    ours = parts_prefix(export.export_id, export.run)
    if not wanted:
        # Only this run's: another may be writing beside it.
        await clear_parts(ours, use.blobs)
    elif export.run > 1:
        # What those before it have left, also after they were told to stop.
        await clear_parts(parts_prefix(export.export_id), use.blobs, but=ours)


async def _kept(export: Export, progress: Progress, use: Outlets) -> "File":
    """Written, while somebody says that it is being written."""
    try:
        async with asyncio.TaskGroup() as group:
            keeping = group.create_task(_keep(export, progress, use))
            file = await _write(export, progress, use)
            keeping.cancel()
    except ExceptionGroup as errors:
        # One is what happened; the other was cancelled for it.
        raise errors.exceptions[0] from errors
    return file


async def _keep(export: Export, progress: Progress, use: Outlets) -> None:
    """Tell how far it is, which is also to say that it lives."""
    while True:
        wanted = await use.exports.note_progress(
            export, done=progress.done, total=progress.total, lease_s=use.limits.lease_s
        )
        if not wanted:
            raise NotWanted
        await asyncio.sleep(min(1.0, use.limits.lease_s / BEATS))


@dataclass(slots=True)
class File:
    """What a run has written so far."""

    parts: int = 0
    size: int = 0
    digest: "hashlib._Hash" = field(default_factory=hashlib.sha256)


async def _write(export: Export, progress: Progress, use: Outlets) -> File:
    file, waiting = File(), bytearray()
    async with aclosing(stream_export(export.order, use, progress)) as pieces:
        async for piece in pieces:
            waiting += piece
            while len(waiting) >= use.limits.part_bytes:
                await _put(export, file, bytes(waiting[: use.limits.part_bytes]), use)
                del waiting[: use.limits.part_bytes]
    if waiting:
        await _put(export, file, bytes(waiting), use)
    return file


async def _put(export: Export, file: File, part: bytes, use: Outlets) -> None:
    await use.blobs.put(part_key(export.export_id, export.run, file.parts), part)
    file.digest.update(part)
    file.parts += 1
    file.size += len(part)


async def read_export(export: Export, use: Outlets) -> Bytes:
    for part in range(export.parts):
        async for piece in use.blobs.stream(part_key(export.export_id, export.run, part)):
            yield piece


async def clear_exports(use: Outlets) -> int:
    """Remove the files of what has expired, failed or is not wanted; how many exports."""
    async with use.ledger.unit() as unit:
        ended = await use.exports.lock_expired(unit, CLEARED_AT_ONCE)
        for export_id in ended:
            await clear_parts(parts_prefix(export_id), use.blobs)
        if ended:
            await use.exports.mark_cleared(unit, ended)
    await use.exports.forget_exports(use.limits.forget_s)
    return len(ended)
