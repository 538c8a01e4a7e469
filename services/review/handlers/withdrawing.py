"""Take the items of cancelled documents out of the queue, and erase those of deleted ones.

The note that a document was withdrawn stays for good: an order to review it may still be on
its way, and must find the note instead of opening an item for something nobody wants.
"""

from collections.abc import Sequence
from uuid import UUID

from services.review.domain.items import resource_of
from services.review.handlers.drafts import erase_reviewed
from services.review.handlers.drawn import erase_drawn
from services.review.ports import Ports
from shared.audit.chain import Entry
from shared.bus.jobs import Job
from shared.contracts.facts import (
    DocumentCancelledV1,
    DocumentDeletedV1,
    DocumentErasedV1,
)
from shared.ledger.port import Unit

Withdrawal = DocumentCancelledV1 | DocumentDeletedV1


async def withdraw_items(jobs: Sequence[Job[Withdrawal]], use: Ports) -> None:
    reasons = _strongest(jobs)
    document_ids = sorted(reasons)
    deleted = [one for one in document_ids if reasons[one] == "deleted"]

    async with use.ledger.unit() as unit:
        await use.withdrawals.lock_documents(unit, document_ids)
        await use.withdrawals.record_withdrawals(
            unit, document_ids, [reasons[one] for one in document_ids]
        )
        taken = await use.withdrawals.withdraw_items(unit, document_ids)
        erased = await _erase(unit, deleted, use) if deleted else []
        await use.trail.record(
            unit,
            *(_entry("item_withdrawn", one) for one in sorted({*taken} - {*erased})),
            *(_entry("item_erased", one) for one in sorted(erased)),
        )
    if deleted:
        # Whoever decided meanwhile has found no item, and erases what he wrote himself.
        for document_id in deleted:
            await erase_reviewed(document_id, use)
        async with use.ledger.unit() as unit:
            _report_erased(unit, jobs)


async def _erase(unit: Unit, document_ids: Sequence[UUID], use: Ports) -> list[UUID]:
    """With what people said of the bytes, and what was drawn of them, unless another document
    has them too."""
    held = await use.forms.find_contents(unit, document_ids)
    await use.forms.hold_contents(unit, held)
    contents = await use.pages.records.list_contents_of(unit, document_ids)
    await use.pages.records.lock_contents(unit, contents)
    erased = await use.withdrawals.erase_items(unit, document_ids)
    await use.forms.erase_locks(unit, held)
    # What others were handed in with the same bytes is still looked at.
    await erase_drawn(unit, contents, use)
    return erased


def _report_erased(unit: Unit, jobs: Sequence[Job[Withdrawal]]) -> None:
    for job in jobs:
        if isinstance(job.body, DocumentDeletedV1):
            unit.send(
                DocumentErasedV1.after(job.body, service="review", cause_id=job.job_id),
                cause=job,
            )


def _entry(action: str, document_id: UUID) -> Entry:
    return Entry("system", action, resource_of(document_id))


def _strongest(jobs: Sequence[Job[Withdrawal]]) -> dict[UUID, str]:
    """A deletion outdoes the cancellation of the same document, whichever came first."""
    reasons: dict[UUID, str] = {}
    for job in jobs:
        deleted = isinstance(job.body, DocumentDeletedV1)
        if deleted or job.body.document_id not in reasons:
            reasons[job.body.document_id] = "deleted" if deleted else "cancelled"
    return reasons
