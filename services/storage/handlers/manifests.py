"""Write down, per day, what is committed: which documents, in which files a reader finds them.

A manifest is of one moment, whole, and names files that do not change: whoever opens what it
lists reads each document once. Changes are counted by their commits; a manifest that is behind
them is written anew, by one replica at a time.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

from services.storage.domain.days import (
    Day,
    Place,
    Shown,
    manifest_head,
    manifest_line,
    manifest_tail,
)
from services.storage.domain.layout import Layout, compacted_key, manifest_key
from services.storage.handlers.holding import WRITE_S, held
from services.storage.ports.days import DayPorts
from shared.ending import to_its_end
from shared.errors import Retryable
from shared.failpoints import failpoint
from shared.ledger.port import Unit
from shared.observability.metrics import MANIFESTS_WRITTEN

DAYS_AT_ONCE = 20
PAGE = 2_000
PREFIX = "paperline-storage-"


async def write_manifests(use: DayPorts) -> int:
    """How many days have a new one. Nothing, while another replica is at it."""
    async with use.ledger.apart() as unit:
        if not await use.days.is_any_behind(unit):
            return 0
    async with use.ledger.unit() as unit:
        if not await use.days.try_turn(unit, "manifests"):
            return 0
        await use.days.fold_changes(unit)
        debounce_s = use.pace.manifest_debounce_s
        stale = await use.days.list_stale_days(unit, debounce_s, DAYS_AT_ONCE)
    return [await write_manifest(day, use) for day in stale].count(True)


async def write_manifest(day: date, use: DayPorts) -> bool:
    """False: another replica has written it, or is at it."""
    try:
        async with scratch(use) as folder, use.ledger.unit() as unit:
            is_new = await _write_in_turn(unit, day, folder / "manifest", use)
    except Retryable:
        # Who loses the lock while he puts may overwrite what the next one has put.
        async with use.ledger.unit() as unit:
            await use.days.forget_manifest(unit, day)
        raise
    if is_new:
        MANIFESTS_WRITTEN.inc()
    return is_new


async def _write_in_turn(unit: Unit, day: date, path: Path, use: DayPorts) -> bool:
    if not await use.days.try_turn(unit, f"manifest.{day}"):
        return False
    async with held(unit, use.days):
        async with use.ledger.unit() as frozen:
            await use.days.freeze_view(frozen)
            found = await use.days.find_day(frozen, day)
            if not found.is_stale:
                return False
            documents = await _write(path, frozen, found, use)
        await failpoint("storage.manifest_written")
        if documents:
            writing = use.blobs.put_file(manifest_key(day), path)
        else:
            writing = use.blobs.delete(manifest_key(day))
        await to_its_end(writing, within_s=WRITE_S)
        await failpoint("storage.manifest_put")
    await use.days.note_manifest(unit, found, documents)
    return True


async def _write(path: Path, unit: Unit, day: Day, use: DayPorts) -> int:
    documents = 0
    manifest, keys = await asyncio.to_thread(_begin, path, day)
    try:
        async for page in shown_in(unit, day.day, use):
            await asyncio.to_thread(
                _append, manifest, keys, page, use.layout, first=not documents
            )
            documents += len(page)
        await asyncio.to_thread(_end, manifest, keys, day)
    finally:
        await asyncio.to_thread(_close, manifest, keys)
    return documents


def _begin(path: Path, day: Day) -> tuple[TextIO, TextIO]:
    manifest = path.open("w", encoding="utf-8")
    manifest.write(manifest_head(day))
    return manifest, path.with_suffix(".files").open("w+")


def _append(
    manifest: TextIO, keys: TextIO, page: Iterable[Shown], layout: Layout, *, first: bool
) -> None:
    lines = ",\n".join(manifest_line(one, layout) for one in page)
    manifest.write(lines if first else f",\n{lines}")
    keys.writelines(
        f"{layout.version_key(one.document_id, one.version, 'parquet')}\n" for one in page
    )


def _end(manifest: TextIO, keys: TextIO, day: Day) -> None:
    keys.seek(0)
    named = [compacted_key(day.day)] if day.is_compacted else map(str.rstrip, keys)
    manifest.writelines(manifest_tail(named))


def _close(*files: TextIO) -> None:
    for file in files:
        file.close()


async def shown(day: date, use: DayPorts) -> AsyncIterator[list[Shown]]:
    """Everything that a day shows, page by page, in the order of its file; each page as it is
    when it is read, so that no transaction is open while something slow is done with it."""
    behind: Place | None = Place()
    while behind is not None:
        async with use.ledger.unit() as unit:
            page = await use.days.list_shown(unit, day, behind, PAGE)
        if page:
            yield page
        behind = page[-1].place if page else None


async def shown_in(unit: Unit, day: date, use: DayPorts) -> AsyncIterator[list[Shown]]:
    """The same, seen by one transaction."""
    behind = Place()
    while page := await use.days.list_shown(unit, day, behind, PAGE):
        yield page
        behind = page[-1].place


@asynccontextmanager
async def scratch(use: DayPorts) -> AsyncIterator[Path]:
    """A folder on the own disk; a killed process leaves it to whoever sweeps that disk."""
    try:
        folder = await asyncio.to_thread(TemporaryDirectory, prefix=PREFIX, dir=use.scratch)
        try:
            yield Path(folder.name)
        finally:
            await asyncio.to_thread(folder.cleanup)
    except OSError as error:
        # A full disk is no bug: somebody makes room, and it is done then.
        raise Retryable(f"scratch folder: {error}", dependency="scratch") from error
