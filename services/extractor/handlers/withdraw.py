"""Remember the documents that nobody wants any more: their orders may still be on their way."""

from collections.abc import Sequence
from uuid import UUID

from services.extractor.handlers.recognised_words import forget_words
from services.extractor.ports import Ports
from shared.bus.jobs import Job
from shared.contracts.facts import (
    DocumentCancelledV1,
    DocumentDeletedV1,
    DocumentErasedV1,
)
from shared.errors import Withdrawn
from shared.ledger.port import Unit

Withdrawal = DocumentCancelledV1 | DocumentDeletedV1


async def withdraw_documents(jobs: Sequence[Job[Withdrawal]], use: Ports) -> None:
    deleted = {job.body.document_id for job in jobs if isinstance(job.body, DocumentDeletedV1)}
    cancelled = {job.body.document_id for job in jobs} - deleted
    gone = sorted(deleted | cancelled)

    async with use.ledger.unit() as unit:
        await use.withdrawals.lock_documents(unit, gone)
        await use.withdrawals.note_withdrawn(unit, sorted(cancelled), "cancelled")
        await use.withdrawals.note_withdrawn(unit, sorted(deleted), "deleted")
        await forget_answers(unit, gone, use)
    await erase_answers(gone, use)
    if deleted:
        await _report_erased(jobs, use)


async def forget_answers(unit: Unit, document_ids: Sequence[UUID], use: Ports) -> None:
    await use.processed.withdraw_processed(unit, document_ids)
    await use.vendors.forget_vendors(unit, document_ids)
    await use.own_readings.forget_own_readings(unit, document_ids)


async def erase_answers(document_ids: Sequence[UUID], use: Ports) -> None:
    """Under no lock, and as often as it takes: whoever is cut off is sent here again by the
    same withdrawal. An answer names its document, so no other document has the same."""
    async with use.ledger.apart() as unit:
        extraction_keys = await use.processed.list_withdrawn_answers(unit, document_ids)
    for extraction_key in extraction_keys:
        await use.blobs.delete(extraction_key)
    await forget_words(document_ids, use)
    async with use.ledger.apart() as unit:
        await use.processed.note_answers_erased(unit, extraction_keys)


async def _report_erased(jobs: Sequence[Job[Withdrawal]], use: Ports) -> None:
    async with use.ledger.unit() as unit:
        for job in jobs:
            if isinstance(job.body, DocumentDeletedV1):
                erased = DocumentErasedV1.after(
                    job.body, service="extractor", cause_id=job.job_id
                )
                unit.send(erased, cause=job)


async def refuse_withdrawn(unit: Unit, document_id: UUID, use: Ports) -> None:
    if await use.withdrawals.find_withdrawn(unit, [document_id]):
        raise Withdrawn
