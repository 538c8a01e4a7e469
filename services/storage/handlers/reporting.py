"""Report that a document is erased, and not before the last copy is gone.

Its own files go with the commit that erases it. The manifest of its day and the merged file are
written anew behind that commit, by those who always write them; what is waited for here is that
both are from after it. A file that a killed process put in place and nobody counts goes too,
and an export that found the document while it was being erased.
"""

import logging

from services.storage.domain.layout import compacted_key, day_of
from services.storage.handlers.listing import take_back_exports
from services.storage.ports.days import DayPorts
from services.storage.ports.erasures import Erasures
from services.storage.ports.outlets import Exports
from shared.failpoints import failpoint

AT_ONCE = 100

log = logging.getLogger(__name__)


async def report_erased(use: DayPorts, erasures: Erasures, exports: Exports) -> int:
    """How many were reported."""
    async with use.ledger.apart() as unit:
        if not await erasures.are_there_any(unit):
            return 0
    async with use.ledger.unit() as unit:
        # Committed by now, so no page that is read from here on holds them.
        placed = await erasures.place_erasures(unit)
        await take_back_exports(unit, placed, exports, use.blobs)
        erased = await erasures.lock_erased(unit, AT_ONCE)
        days = {day_of(one.accepted_at) for one in erased if one.may_have_left_a_file}
        for day in sorted(days):
            # Whoever merges it waits for this lock before the file is put.
            if not (await use.days.lock_day(unit, day)).compacted_rows:
                await use.blobs.delete(compacted_key(day))
        for one in erased:
            unit.send(one.fact(), cause=one.cause())
        await erasures.forget_erasures(unit, [one.document_id for one in erased])
        await failpoint("storage.erasure_reported")
    if erased:
        log.info("erasures_reported", extra={"count": len(erased)})
    return len(erased)
