"""Open one review item per document, whatever comes twice.

A person may be looking at the item by the time a second order for its document arrives, so
that order changes nothing; unless the document was read anew: then the item shows the new
values, and one that was decided is open again, its verdict kept in the audit log. The values
are copied out of the extraction: the desk lists and filters them, the object store cannot.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from pydantic import ValidationError

from services.review.domain.basis import Basis
from services.review.domain.items import ItemStatus, NewItem, ReviewItem, is_newer, resource_of
from services.review.domain.pages import pages_of
from services.review.domain.ranking import Plan, rank_of
from services.review.domain.straight_through import passage_of
from services.review.handlers.announcing import announce_hands
from services.review.handlers.assigning import assign_opened
from services.review.handlers.forming import Shown, forms_before, keep_forms, read_form
from services.review.ports import Ports
from shared.audit.chain import Entry
from shared.blobs.kept import read_kept
from shared.bus.jobs import Job
from shared.contracts.extraction import ExtractionV1
from shared.contracts.facts import ReviewOpenedV1
from shared.contracts.orders import OpenReviewV1
from shared.errors import Rejected, Withdrawn
from shared.ledger.port import Unit

OpenReview = Job[OpenReviewV1]


async def open_items(jobs: Sequence[OpenReview], use: Ports) -> None:
    document_ids = sorted({job.body.document_id for job in jobs})
    # Asked before the bytes are: those of a deleted document are gone already.
    _none_of(await use.withdrawals.find_withdrawn(document_ids))
    extractions = await _read_extractions(jobs, use)
    read = {job_id: await read_form(one, use) for job_id, one in extractions.items()}

    async with use.ledger.handling(*jobs) as unit:
        left = {job.job_id for job in unit.jobs}
        orders = _one_per_document([job for job in jobs if job.job_id in left])
        # A cancel that commits while we do would otherwise see no item to take away, and we
        # no cancel.
        await use.withdrawals.lock_documents(unit, sorted(orders))
        _none_of(await use.withdrawals.find_withdrawn(sorted(orders), unit))
        new = [_new_item(job, extractions[job.job_id], use.plan) for job in orders.values()]
        opened = await use.items.open_items(unit, new)
        known = await _known(unit, [one for one in orders if one not in opened], use)
        reread = [one for one in new if is_newer(one, known.get(one.document_id))]
        shown = sorted(opened | {one.document_id for one in reread})
        earlier = await forms_before(unit, [known[one.document_id] for one in reread], use)
        if reread:
            await use.items.show_anew(unit, reread)
        forms = [
            Shown(
                item=one,
                form=read[orders[one.document_id].job_id],
                extraction=extractions[orders[one.document_id].job_id],
                before=earlier.get(one.document_id),
            )
            for one in new
            if one.document_id in shown
        ]
        inherited = await keep_forms(unit, forms, use)
        pages = [pages_of(extractions[orders[document_id].job_id]) for document_id in shown]
        await use.pages.records.keep_pages(unit, pages)
        owners = {one.document_id: one.owner_id for one in new if one.document_id in opened}
        assigned = await assign_opened(unit, owners, use)
        for document_id in shown:
            unit.send(_opened(orders[document_id].body), cause=orders[document_id])
        announce_hands(unit, *_still_held(reread, known))
        read_anew = [_reread(known[one.document_id], one) for one in reread]
        if entries := [*read_anew, *inherited, *assigned]:
            await use.trail.record(unit, *entries)


async def _known(
    unit: Unit, document_ids: Sequence[UUID], use: Ports
) -> dict[UUID, ReviewItem]:
    """The items that were there before; of nearly every document there was none."""
    if not document_ids:
        return {}
    return {one.document_id: one for one in await use.items.lock_items(unit, document_ids)}


def _still_held(
    reread: Sequence[NewItem], known: Mapping[UUID, ReviewItem]
) -> list[ReviewItem]:
    """Whoever has an item in hand has the new reading in hand, of which nothing was decided."""
    return [
        replace(known[one.document_id], result_version=one.result_version, revision=0)
        for one in reread
        if known[one.document_id].status is ItemStatus.IN_REVIEW
    ]


def _none_of(withdrawn: set[UUID]) -> None:
    # In a batch this sends the consumer through it one by one, and only theirs end so.
    if withdrawn:
        raise Withdrawn


async def _read_extractions(jobs: Sequence[OpenReview], use: Ports) -> dict[UUID, ExtractionV1]:
    turn = asyncio.Semaphore(use.limits.extraction_reads_max)

    async def read(job: OpenReview) -> tuple[UUID, ExtractionV1]:
        async with turn:
            return job.job_id, await read_extraction(job.body.extraction_key, use)

    # Not a task group: it would wrap the one error that says what becomes of the job.
    return dict(await asyncio.gather(*(read(job) for job in jobs)))


async def read_extraction(key: str, use: Ports) -> ExtractionV1:
    raw = await read_kept(use.blobs, key, limit_bytes=use.limits.extraction_bytes_max)
    try:
        return ExtractionV1.model_validate_json(raw)
    except ValidationError as error:
        fields = ", ".join(".".join(map(str, one["loc"])) for one in error.errors()[:5])
        raise Rejected("invalid_extraction", f"unreadable at: {fields}") from error


def _one_per_document(jobs: Sequence[OpenReview]) -> dict[UUID, OpenReview]:
    """In key order, so that two batches never wait for each other's rows."""
    newest: dict[UUID, OpenReview] = {}
    for job in sorted(jobs, key=lambda job: (job.body.document_id, -job.body.result_version)):
        newest.setdefault(job.body.document_id, job)
    return newest


def _reread(before: ReviewItem, after: NewItem) -> Entry:
    return Entry(
        actor="system",
        action="item_reread",
        resource=resource_of(before.document_id),
        before={
            "status": before.status.value,
            "version": before.version,
            "revision": before.revision,
            "result_version": before.result_version,
            "extraction_key": before.extraction_key,
            "reviewed_key": before.reviewed_key,
            "decided_by": before.decided_by,
            "decided_at": before.decided_at.isoformat() if before.decided_at else None,
            "reason_code": before.reason_code,
            "reason": before.reason,
        },
        after={
            "version": before.version + 1,
            "result_version": after.result_version,
            "extraction_key": after.extraction_key,
        },
    )


def _new_item(job: OpenReview, extraction: ExtractionV1, plan: Plan) -> NewItem:
    order, summary = job.body, extraction.summary()
    rank = rank_of(Basis.of_reading(extraction, plan.critical), plan)
    passage = passage_of(order, extraction, plan)
    return NewItem(
        document_id=order.document_id,
        owner_id=order.owner_id,
        accepted_at=order.accepted_at,
        priority=order.priority,
        extraction_key=order.extraction_key,
        result_version=order.result_version,
        sha256=order.sha256,
        engine=order.engine,
        confidence=order.confidence,
        duplicate=order.duplicate,
        filename=extraction.filename,
        vendor_name=summary.vendor_name,
        invoice_number=summary.invoice_number,
        due_at=order.due_at or plan.due_at(order.accepted_at, order.priority),
        doubt=rank.doubt,
        complexity=rank.complexity,
        value=rank.value,
        base=rank.base,
        sla_rate=rank.sla_rate,
        ranked_on=rank.facts,
        gates=passage.as_rows(),
        automatic=passage.automatic,
        job_id=job.job_id,
        run=job.run,
        traceparent=job.traceparent,
    )


def _opened(order: OpenReviewV1) -> ReviewOpenedV1:
    return ReviewOpenedV1(
        document_id=order.document_id,
        owner_id=order.owner_id,
        accepted_at=order.accepted_at,
        priority=order.priority,
        confidence=order.confidence,
        result_version=order.result_version,
    )
