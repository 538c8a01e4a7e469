"""Make the keys of invoices anew that were made by older rules.

They are what an invoice is recognised by when it comes again, so an old one and a new one meet
only where both were made by the same rules. One process at a time does it, a few at once, each
under its item's lock: a correction of the same moment is either seen here or comes after.
"""

import logging

from services.review.domain.invoice_keys import keys_of
from services.review.domain.rescans import told_by
from services.review.ports import Ports

log = logging.getLogger(__name__)

BATCH = 100
TURN = "recognising"


async def rebuild_keys(use: Ports) -> int:
    """How many were made anew; with a whole batch, there are more."""
    async with use.ledger.unit() as unit:
        if not await use.queue.try_turn(unit, TURN):
            return 0
        old = await use.forms.list_old_keys(unit, limit=BATCH)
        if not old:
            return 0
        items = await use.items.lock_items(unit, old)
        keys = []
        for one in items:
            fields = await use.items.list_fields(one.document_id, unit)
            keys.append(keys_of(one, fields))
            await use.forms.retell_sheet(unit, one.document_id, told_by(fields))
        await use.forms.keep_keys(unit, old, [one for one in keys if one])
    log.info("keys_made_anew", extra={"count": len(old)})
    return len(old)
