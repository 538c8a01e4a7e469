"""The reviewed extraction, written for a decision before its commit: a draft until then.

Each attempt has a key of its own, so that whoever loses a race erases what he wrote and nobody
else's. All of a document's begin alike and go with it. What a killed process leaves is known by
its row, and is collected.
"""

import logging
from uuid import UUID

from services.review.ports import Ports
from shared.contracts.extraction import ExtractionV1
from shared.contracts.identity import new_id
from shared.errors import Retryable

log = logging.getLogger(__name__)

AT_ONCE = 100
# No commit takes so long.
STALE_AFTER_S = 3600.0


async def write_draft(document_id: UUID, approved: ExtractionV1, use: Ports) -> str:
    key = f"{_prefix(document_id)}{new_id()}.json"
    async with use.ledger.apart() as unit:
        await use.decisions.note_draft(unit, key, document_id)
    await use.blobs.put(key, approved.to_bytes())
    return key


async def drop_draft(key: str | None, use: Ports) -> None:
    """Nobody decided by it. Whatever stands in the way: it is collected later."""
    if key is None:
        return
    try:
        await _erase(key, use)
    except Retryable as away:
        log.info("draft_not_dropped", extra={"error": str(away)})


async def collect_drafts(use: Ports) -> int:
    """How many were collected; with a whole batch, there are more."""
    stale = await use.decisions.list_stale_drafts(older_than_s=STALE_AFTER_S, limit=AT_ONCE)
    for key in stale:
        await _erase(key, use)
    if stale:
        log.info("drafts_collected", extra={"count": len(stale)})
    return len(stale)


async def erase_reviewed(document_id: UUID, use: Ports) -> None:
    async for key in use.blobs.list(_prefix(document_id)):
        await use.blobs.delete(key)


async def _erase(key: str, use: Ports) -> None:
    # In this order: what is cut off in between is found again.
    await use.blobs.delete(key)
    async with use.ledger.apart() as unit:
        await use.decisions.forget_draft(unit, key)


def _prefix(document_id: UUID) -> str:
    return f"reviewed/{document_id}/"
