"""Catch up with what was done before there were days, and collect what nobody committed.

A writer that is killed between its files and its commit leaves the files; as a rule the same
job writes them again a moment later. What still has no row after a while is erased. Whoever is
about to write a document says so first, which takes its files off this list, and waits for
whoever is erasing them: so nothing is erased that a commit is going to name.
"""

import logging
from collections.abc import Callable
from uuid import UUID

from services.storage.domain.results import Table
from services.storage.ports.days import DayPorts
from shared.at_once import at_once
from shared.errors import Rejected
from shared.failpoints import failpoint
from shared.observability.metrics import RESULT_FILES_LOST, STRAYS_ERASED

AT_ONCE = 200
KEYS_AT_ONCE = 2_000
# A walk over every version is no small thing for a bucket.
WALKS_PER_WINDOW = 4

log = logging.getLogger(__name__)


async def catch_up_days(use: DayPorts) -> int:
    """What replicas of before have published or erased, or still do while they are replaced."""
    async with use.ledger.unit() as unit:
        published = await use.leftovers.show_published(unit, KEYS_AT_ONCE)
    async with use.ledger.unit() as unit:
        erased = await use.leftovers.forget_erased(unit, KEYS_AT_ONCE)
    return published + erased


async def measure_tables(use: DayPorts) -> int:
    async with use.ledger.unit() as unit:
        found = await use.leftovers.list_unmeasured(unit, AT_ONCE)
        tables = await at_once(_measure(*one, use) for one in found)
        measured = [
            (*one, table) for one, table in zip(found, tables, strict=True) if table is not None
        ]
        if measured:
            await use.leftovers.note_measured(unit, measured)
    return len(measured)


async def _measure(document_id: UUID, version: int, use: DayPorts) -> Table | None:
    key = use.layout.version_key(document_id, version, "parquet")
    try:
        return await use.merger.measure(await use.blobs.read(key))
    except Rejected as error:
        RESULT_FILES_LOST.inc()
        log.error("version_lost", extra={"key": key, "reason": error.reason})  # noqa: TRY400
        return None


async def collect_strays(use: DayPorts) -> int:
    """How many files were erased that no row has named for a while."""
    async with use.ledger.unit() as unit:
        every_s = use.pace.stray_after_s / WALKS_PER_WINDOW
        mine = await use.leftovers.begin_round(unit, "strays", every_s)
    if mine:
        await _look_for_strays(use)
    erased = 0
    while few := await _erase_strays(use):
        erased += few
    return erased


async def _look_for_strays(use: DayPorts) -> None:
    await _note_strays(use.layout.all_versions, use.layout.version_of, use)
    # Whoever publishes while his document is erased, and loses his lock, leaves such a file.
    for prefix in sorted({*use.layout.all_dated}):
        await _note_strays(prefix, use.layout.dated_of, use)


async def _note_strays(
    prefix: str, whose: Callable[[str], tuple[UUID, int] | None], use: DayPorts
) -> None:
    files = []
    async for key in use.blobs.list(prefix):
        identity = whose(key)
        # What we have not named so is not ours to erase.
        if identity is not None:
            files.append((key, identity))
        if len(files) >= KEYS_AT_ONCE:
            async with use.ledger.unit() as unit:
                await use.leftovers.note_strays(unit, files)
            files = []
    if files:
        async with use.ledger.unit() as unit:
            await use.leftovers.note_strays(unit, files)


async def _erase_strays(use: DayPorts) -> int:
    async with use.ledger.unit() as unit:
        taken = await use.leftovers.take_strays(unit, use.pace.stray_after_s, AT_ONCE)
        gone = [one.key for one in taken if not one.is_kept]
        await at_once(use.blobs.delete(key) for key in gone)
        await failpoint("storage.strays_erased")
    STRAYS_ERASED.inc(len(gone))
    if gone:
        log.info("strays_erased", extra={"count": len(gone)})
    return len(taken)
