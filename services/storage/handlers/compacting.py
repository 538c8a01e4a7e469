"""Merge the files of a closed day into one, so that a year is read in seconds.

The files by document stay what is right; the merged one is made of them in the order of an
index, beside the running work, and replaced by one put. Before that put and after it the
manifest sends readers to one of the two kinds, never to both. A crash at any point leaves the
old file or the new one, and a day that is merged again.
"""

import asyncio
import logging
from collections.abc import Sequence
from datetime import date, timedelta
from hashlib import sha256
from pathlib import Path
from time import monotonic

from services.storage.domain.days import Day, Measured, Shown
from services.storage.domain.layout import compacted_key, day_of
from services.storage.handlers.holding import WRITE_S, held
from services.storage.handlers.manifests import scratch, shown
from services.storage.ports.days import DayPorts, MergedFile
from shared.at_once import at_once
from shared.ending import to_its_end
from shared.errors import Rejected, Retryable
from shared.failpoints import failpoint
from shared.observability.metrics import (
    COMPACTED_DOCUMENTS,
    COMPACTION_DAYS,
    COMPACTION_SECONDS,
    RESULT_FILES_LOST,
)

DAYS_AT_ONCE = 10
READ_AT_ONCE = 250
PROGRESS_EVERY = 10_000
NOTHING = Measured(0, "", 0)

log = logging.getLogger(__name__)


async def compact_days(use: DayPorts) -> int:
    """How many days were merged. Nothing, while another replica is at it."""
    async with use.ledger.unit() as unit:
        if not await use.days.try_turn(unit, "compaction"):
            return 0
        closed = day_of(use.clock.now() - timedelta(seconds=use.pace.compact_after_s))
        quiet_s = use.pace.compact_quiet_s
        due = await use.days.list_compactable(unit, closed, quiet_s, DAYS_AT_ONCE)
        # However long it takes, nobody else merges meanwhile.
        async with held(unit, use.days):
            outcomes = [await _compact(day, use) for day in due]
    return outcomes.count("done")


async def _compact(day: date, use: DayPorts) -> str:
    outcome = "failed"
    with COMPACTION_SECONDS.time():
        try:
            outcome = "done" if await compact_day(day, use) else "changed"
        except Rejected as error:
            # Without one of its documents the file would lie: a person must look.
            RESULT_FILES_LOST.inc()
            extra = {"day": str(day), "reason": error.reason, "cause": str(error)}
            log.error("day_not_compacted", extra=extra)  # noqa: TRY400
    COMPACTION_DAYS.labels(outcome).inc()
    return outcome


async def compact_day(day: date, use: DayPorts) -> bool:
    """False when the day changed meanwhile: the readers of its manifest lack nothing."""
    async with scratch(use) as folder:
        async with use.ledger.unit() as unit:
            before = await use.days.find_day(unit, day)
        try:
            file = await _merge(day, folder / "invoices", use)
        except Rejected:
            # The old file goes all the same: what was erased must not stay in it.
            if await _replace(before, None, folder / "invoices", use):
                raise
            return False
        await failpoint("storage.compacted_written")
        if not await _replace(before, file, folder / "invoices", use):
            return False
    await failpoint("storage.compaction_noted")
    extra = {"day": str(day), "documents": file.rows, "bytes": file.size}
    log.info("day_compacted", extra=extra)
    return True


async def _replace(before: Day, file: Measured | None, path: Path, use: DayPorts) -> bool:
    """Under the lock of the day: nobody counts a change, or reports an erasure, between what
    is checked here and the file that is put."""
    day, begun = before.day, False
    try:
        async with use.ledger.unit() as unit:
            now = await use.days.lock_day(unit, day)
            if now.is_changing or now.revision != before.revision or _reads_old_file(now):
                return False
            begun = True
            async with held(unit, use.days):
                if file and file.rows:
                    writing = use.blobs.put_file(compacted_key(day), path)
                else:
                    writing = use.blobs.delete(compacted_key(day))
                await to_its_end(writing, within_s=WRITE_S)
                await failpoint("storage.compacted_put")
            if file:
                await use.days.note_compacted(unit, now, file)
            else:
                await use.days.note_not_compacted(unit, now)
    except Retryable:
        if begun:
            # Who loses the lock while he puts may overwrite what the next one has put.
            async with use.ledger.unit() as unit:
                await use.days.forget_compacted(unit, day)
        raise
    return True


def _reads_old_file(now: Day) -> bool:
    """Its manifest still sends readers to the file that is to be replaced."""
    return now.manifest_revision != now.revision or now.manifest_compacted


async def _merge(day: date, path: Path, use: DayPorts) -> Measured:
    rows, told = 0, 0
    async with use.merger.merged(path) as merged:
        async for page in shown(day, use):
            for start in range(0, len(page), READ_AT_ONCE):
                few = page[start : start + READ_AT_ONCE]
                await _append(merged, few, use)
                rows += len(few)
                COMPACTED_DOCUMENTS.inc(len(few))
                await failpoint("storage.compacting")
            if rows - told >= PROGRESS_EVERY:
                told = rows
                log.info("day_compacting", extra={"day": str(day), "documents": rows})
        return await merged.finish() if rows else NOTHING


async def _append(merged: MergedFile, few: Sequence[Shown], use: DayPorts) -> None:
    began = monotonic()
    await merged.append(await at_once(_file_of(one, use) for one in few))
    # A share of the time, not of a rate: what is slow for us is busy for the others.
    share = use.pace.compact_share
    if share < 1:
        await asyncio.sleep((monotonic() - began) * (1 - share) / share)


async def _file_of(one: Shown, use: DayPorts) -> bytes:
    key = use.layout.version_key(one.document_id, one.version, "parquet")
    data = await use.blobs.read(key)
    if one.sha256 is not None and sha256(data).hexdigest() != one.sha256:
        raise Rejected("source_corrupt", key)
    return data


async def prune_days(use: DayPorts) -> int:
    """Remove the files by document of days that have long been compacted, if that is wanted.
    Their versions stay, and a manifest that has to go back to them names those."""
    if use.pace.prune_after_days is None:
        return 0
    async with use.ledger.unit() as unit:
        if not await use.days.try_turn(unit, "pruning"):
            return 0
        days = await use.days.list_prunable(unit, use.pace.prune_after_days, DAYS_AT_ONCE)
        async with held(unit, use.days):
            for day in days:
                await _prune(day, use)
    return len(days)


async def _prune(day: date, use: DayPorts) -> None:
    async for page in shown(day, use):
        for start in range(0, len(page), READ_AT_ONCE):
            await _prune_few(page[start : start + READ_AT_ONCE], use)
        await failpoint("storage.pruning")
    async with use.ledger.unit() as unit:
        await use.days.note_pruned(unit, day)


async def _prune_few(few: Sequence[Shown], use: DayPorts) -> None:
    """While the unit holds their rows: what is published anew meanwhile is not pruned."""
    async with use.ledger.unit() as unit:
        known = [(one.document_id, one.version) for one in few]
        unchanged = await use.days.lock_unchanged(unit, known)
        gone = [one.parquet_key for one in few if one.document_id in unchanged]
        await at_once(use.blobs.delete(key) for key in gone)
