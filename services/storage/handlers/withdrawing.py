"""Erase what nobody wants any more, and refuse what arrives of it later."""

from collections.abc import Iterable, Sequence

from services.storage.domain.erasing import deletions_of, erasing
from services.storage.domain.layout import DEFAULT, SUFFIXES
from services.storage.domain.results import ResultOrder
from services.storage.handlers.listing import unlist
from services.storage.ports import Ports
from shared.at_once import at_once
from shared.bus.jobs import Job
from shared.contracts.body import DocumentBody
from shared.contracts.facts import (
    DocumentCancelledV1,
    DocumentDeletedV1,
)
from shared.contracts.words import words_prefix
from shared.errors import Withdrawn
from shared.failpoints import failpoint
from shared.ledger.port import Unit


async def withdraw_documents(
    jobs: Sequence[Job[DocumentCancelledV1 | DocumentDeletedV1]], use: Ports
) -> None:
    bodies = {job.body.document_id: job.body for job in jobs}
    deletions = deletions_of(jobs)
    deleted = {job.body.document_id for job in deletions}

    async with use.ledger.unit() as unit:
        await use.withdrawals.lock_documents(unit, sorted(bodies))
        await use.withdrawals.note_withdrawn(unit, sorted(bodies.keys() - deleted), "cancelled")
        await use.withdrawals.note_withdrawn(unit, sorted(deleted), "deleted")
        await unlist(unit, sorted(bodies), use)
        # A result may have been kept before its document was withdrawn, and told too late.
        kept = await use.results.erase_results(unit, sorted(bodies))
        await failpoint("storage.erasing")
        await _erase_files(bodies.values(), use)
        await at_once(use.blobs.delete(key) for key in sorted({*kept}))
        # Reported by `reporting.py`, when the files of their days hold nothing of them either.
        await use.erasures.await_erasures(unit, [erasing(job) for job in deletions])
        await failpoint("storage.files_erased")
    await failpoint("storage.erased")


async def refuse_withdrawn(unit: Unit, orders: Sequence[ResultOrder], use: Ports) -> None:
    withdrawn = await use.withdrawals.find_withdrawn(unit, [one.document_id for one in orders])
    if withdrawn:
        # This attempt, or one that was killed, may have written files since they were erased.
        gone = [one for one in orders if one.document_id in withdrawn]
        await _erase_files(gone, use)
        # No row of ours will ever say where what was read of them lies.
        keys = {one.extraction_key for one in gone}
        await at_once(use.blobs.delete(key) for key in sorted(keys))
        # One withdrawn document ends the batch; the consumer then takes its jobs one by one.
        raise Withdrawn


async def _erase_files(bodies: Iterable[DocumentBody], use: Ports) -> None:
    await at_once(_erase(body, use) for body in bodies)


async def _erase(body: DocumentBody, use: Ports) -> None:
    document_id, layout = body.document_id, use.layout
    # By the templates, and where it was published by those who knew none.
    dated = {
        place.dated_key(document_id, body.accepted_at, suffix)
        for place in (layout, DEFAULT)
        for suffix in SUFFIXES
    }
    # The extractor erases what it recognised as well, unless it kept that when its own look at
    # who is withdrawn had passed: then we are the next to hear of the document.
    prefixes = (layout.versions_prefix(document_id), words_prefix(document_id))
    listed = [key for one in prefixes async for key in use.blobs.list(one)]
    for key in (*sorted(dated), *listed):
        await use.blobs.delete(key)
        await failpoint("storage.file_erased")
