"""Write down what leaves later, in the commit that makes a version current.

So nothing that is stored can be missing from an export, and nothing that is approved from a
hand-over. What was kept by those who knew neither is caught up with in the background.
"""

import json
import logging
from collections.abc import Sequence
from uuid import UUID

from services.storage.domain.exports import parts_prefix
from services.storage.domain.listed import Unfilled, Values, listed, values_in
from services.storage.domain.results import Result, StoredResult
from services.storage.ports import Ports
from services.storage.ports.outlets import Exports, Outlets
from shared.at_once import at_once
from shared.blobs.port import Blobs
from shared.errors import Rejected
from shared.ledger.port import Unit

AT_ONCE = 100
NO_VALUES = Values("", 0.0, None, None, None, None)

log = logging.getLogger(__name__)


async def list_kept(
    unit: Unit, rows: Sequence[StoredResult], results: Sequence[Result], use: Ports
) -> None:
    """Behind `keep_stored`: of these the current ones, whichever they are."""
    entries = [
        listed(row, result)
        for row, result in zip(rows, results, strict=True)
        # A copy of known content would count an invoice twice.
        if row.has_files
    ]
    await use.index.index_results(unit, entries)
    await use.handovers.note_approved(unit, [one for one in entries if one.verdict])


async def unlist(unit: Unit, document_ids: Sequence[UUID], use: Ports) -> None:
    """Before the rows of erased documents go: nothing made of them stays either."""
    await use.index.erase_listed(unit, document_ids)
    await take_back_exports(unit, document_ids, use.exports, use.blobs)


async def take_back_exports(
    unit: Unit, document_ids: Sequence[UUID], exports: Exports, blobs: Blobs
) -> None:
    for export_id in await exports.withdraw_exports(unit, document_ids):
        await clear_parts(parts_prefix(export_id), blobs)


async def clear_parts(prefix: str, blobs: Blobs, *, but: str | None = None) -> None:
    keys = [key async for key in blobs.list(prefix)]
    gone = [key for key in keys if but is None or not key.startswith(but)]
    await at_once(blobs.delete(key) for key in gone)


async def catch_up(use: Outlets) -> int:
    """A step of it; how many documents it was, 0 when nothing is missing."""
    async with use.ledger.unit() as unit:
        missing = await use.index.index_missing(unit, AT_ONCE)
        approved = await use.handovers.approve_missing(unit, AT_ONCE)
    async with use.ledger.unit() as unit:
        unfilled = await use.index.lock_unfilled(unit, AT_ONCE)
        values = await at_once(_values(one, use) for one in unfilled)
        found = dict(zip((one.document_id for one in unfilled), values, strict=True))
        if found:
            await use.index.fill_results(unit, found)
    return max(missing, approved, len(unfilled))


async def _values(one: Unfilled, use: Outlets) -> Values:
    try:
        raw = await use.blobs.read(one.result_key, limit_bytes=use.limits.result_bytes_max)
        return values_in(json.loads(raw))
    except (Rejected, ValueError) as error:
        # A person must look; the others must not wait, and it must not come up for ever.
        why = {"document_id": str(one.document_id), "reason": str(error)[:200]}
        log.error("result_not_listed", extra=why)  # noqa: TRY400
        return NO_VALUES
