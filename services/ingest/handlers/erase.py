"""Erase what deleted documents leave behind, and what never became a document.

It happens behind the commit that decided it, in rows that outlive a crash: an object store
that is slow or away holds up nobody. That a content is erased is committed before its bytes
go, so that whoever takes the same bytes in at that moment looks for them, and is told to come
back when they are gone. Whoever takes in and whoever erases take turns.
"""

import asyncio
import logging

from services.ingest.domain.documents import logs_prefix
from services.ingest.domain.erasing import FOLDERS, OURS, OrphanRules, folder_of
from services.ingest.domain.formats import HEAD_BYTES, media_type_of
from services.ingest.handlers.release import BACKOFF_S, Bell
from services.ingest.ports import Erasure, Ports, Walk
from shared.errors import Rejected, Retryable
from shared.failpoints import failpoint
from shared.observability.metrics import ERASED_DOCUMENTS, ORPHANS_ERASED

log = logging.getLogger(__name__)

AT_ONCE = 20
KEYS_AT_ONCE = 1_000


async def keep_erasing(use: Ports, bell: Bell, *, every_s: float) -> None:
    """Until cancelled. What another process deleted, or could not erase, is seen in time."""
    while True:
        bell.hush()
        try:
            while await erase_deleted(use):
                continue
        except Retryable as away:
            log.info("eraser_waits", extra={"error": str(away)})
            await asyncio.sleep(BACKOFF_S)
        await bell.heard(every_s)


async def erase_deleted(use: Ports) -> int:
    """How many were tried. What fails is tried again later, by whoever comes first."""
    claimed = await use.erasures.claim_erasures(count=AT_ONCE)
    for erasure in claimed:
        try:
            await _erase(erasure, use)
        except Retryable as away:
            # The others may lie elsewhere, or the store may be back for them.
            log.warning(
                "document_not_erased",
                extra={
                    "document_id": str(erasure.document_id),
                    "tries": erasure.tries,
                    "error": str(away),
                },
            )
    return len(claimed)


async def erase_orphans(use: Ports, rules: OrphanRules) -> int:
    """How many were erased. Bounded, and gone on with at the next sweep."""
    walk = await use.orphans.claim_walk(lease_s=rules.lease_s, pause_s=rules.pause_s)
    if walk is None:
        return 0
    if walk.resumed or await use.orphans.is_submission_paused():
        await use.orphans.postpone_orphans(after_s=rules.after_s)
    try:
        return await _erase_on_the_way(walk, use, rules)
    except Retryable:
        # Cut off, it is over all the same: others need not wait for its lease, nor take the
        # silence after it for one in which nobody was there.
        await use.orphans.end_walk(walk.folder)
        raise


async def _erase_on_the_way(walk: Walk, use: Ports, rules: OrphanRules) -> int:
    folder = await _walk(walk.folder, use, rules)
    erased = 0
    for content_key in await use.orphans.list_due_orphans(limit=rules.erased_max):
        erased += await _erase_orphan(content_key, use)
    await use.orphans.end_walk(folder)
    if erased:
        log.info("orphans_erased", extra={"count": erased})
    return erased


async def erase_content(content_key: str, use: Ports) -> bool:
    """False when a document has it."""
    async with use.ledger.unit() as unit:
        if not await use.contents.release_content(unit, content_key):
            return False
    await failpoint("ingest.before_erasing")
    async with use.ledger.unit() as unit:
        if not await use.contents.is_erasable(unit, content_key):
            return False
        # Within the lock: nobody who takes it in may look before it is gone.
        await use.blobs.delete(content_key)
    return True


async def _erase(erasure: Erasure, use: Ports) -> None:
    async for key in use.blobs.list(logs_prefix(erasure.document_id)):
        await use.blobs.delete(key)
    await erase_content(erasure.content_key, use)
    async with use.ledger.unit() as unit:
        await use.erasures.note_erased(unit, [(erasure.document_id, OURS)])
    ERASED_DOCUMENTS.inc()


async def _walk(folder: int, use: Ports, rules: OrphanRules) -> int:
    """Whole folders, until enough was seen or all were; the folder to begin with next time."""
    seen = 0
    for _ in range(FOLDERS):
        seen += await _note_folder(folder, use, rules)
        folder = (folder + 1) % FOLDERS
        if seen >= rules.keys_max:
            break
    return folder


async def _note_folder(folder: int, use: Ports, rules: OrphanRules) -> int:
    seen, keys = 0, list[str]()
    async for key in use.blobs.list(folder_of(folder)):
        seen += 1
        keys.append(key)
        if len(keys) == KEYS_AT_ONCE:
            await use.orphans.note_orphans(keys, after_s=rules.after_s)
            keys = []
    if keys:
        await use.orphans.note_orphans(keys, after_s=rules.after_s)
    return seen


async def _erase_orphan(content_key: str, use: Ports) -> bool:
    if not await _is_document(content_key, use):
        await use.orphans.spare_for_good(content_key)
        return False
    erased = await erase_content(content_key, use)
    await use.orphans.forget_orphan(content_key)
    ORPHANS_ERASED.inc(erased)
    return erased


async def _is_document(content_key: str, use: Ports) -> bool:
    """Or something that another stage keeps under its digest, and that looks like no document.

    What is not there any more counts as one: erasing it again is no harm.
    """
    try:
        pieces = use.blobs.stream(content_key, length=HEAD_BYTES)
        media_type_of(b"".join([piece async for piece in pieces]))
    except Rejected as error:
        return error.reason == "source_missing"
    return True
