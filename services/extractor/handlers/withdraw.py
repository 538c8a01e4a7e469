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


async def withdraw_documents(
    jobs: Sequence[Job[DocumentCancelledV1 | DocumentDeletedV1]], use: Ports
) -> None:
    deleted = {job.body.document_id for job in jobs if isinstance(job.body, DocumentDeletedV1)}
    cancelled = {job.body.document_id for job in jobs} - deleted

    async with use.ledger.unit() as unit:
        await use.withdrawals.lock_documents(unit, sorted(deleted | cancelled))
        await use.withdrawals.note_withdrawn(unit, sorted(cancelled), "cancelled")
        await use.withdrawals.note_withdrawn(unit, sorted(deleted), "deleted")
        await forget_answers(unit, sorted(deleted | cancelled), use)
        for job in jobs:
            if isinstance(job.body, DocumentDeletedV1):
                erased = DocumentErasedV1.after(
                    job.body, service="extractor", cause_id=job.job_id
                )
                unit.send(erased, cause=job)


async def forget_answers(unit: Unit, document_ids: Sequence[UUID], use: Ports) -> None:
    # An answer names its document, so no other document has the same.
    for extraction_key in await use.processed.forget_processed(unit, document_ids):
        await use.blobs.delete(extraction_key)
    await forget_words(document_ids, use)
    await use.vendors.forget_vendors(unit, document_ids)
    await use.own_readings.forget_own_readings(unit, document_ids)


async def refuse_withdrawn(unit: Unit, document_id: UUID, use: Ports) -> None:
    if await use.withdrawals.find_withdrawn(unit, [document_id]):
        raise Withdrawn
