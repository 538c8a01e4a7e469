"""Record what a person decided, and tell storage in the same commit.

The reviewed extraction is written before the transaction, under its digest: a decision that
then loses a race leaves a blob nobody points at, never an order for bytes that are not there.
"""

from collections.abc import AsyncIterator
from uuid import UUID

from services.review.domain import (
    Decision,
    ReviewItem,
    check_decidable,
    confirmed,
    is_settled_as,
    resource_of,
)
from services.review.handlers.claiming import LOOKS_MAX, get_item
from services.review.handlers.opening import read_extraction
from services.review.ports import Ports
from shared.audit.chain import Entry
from shared.bus.headers import RUN
from shared.bus.jobs import Job
from shared.contracts.facts import ReviewDecidedV1
from shared.contracts.orders import FinaliseDocumentV1, OpenReviewV1
from shared.errors import Retryable
from shared.ledger.port import Unit
from shared.observability.metrics import REVIEW_DECISIONS
from shared.topology.queues import REVIEW


async def approve_item(
    document_id: UUID, reviewer: str, version: int, use: Ports
) -> ReviewItem:
    seen = Decision(document_id, version, reviewer, "approved")
    item = await get_item(document_id, use)
    if is_settled_as(item, seen):
        return item
    check_decidable(item, seen)
    extraction = await read_extraction(item.extraction_key, use)
    reviewed = await use.blobs.write(_whole(confirmed(extraction).to_bytes()))

    return await _decide(
        Decision(document_id, version, reviewer, "approved", reviewed_key=reviewed.key), use
    )


async def reject_item(decision: Decision, use: Ports) -> ReviewItem:
    item = await get_item(decision.document_id, use)
    if is_settled_as(item, decision):
        return item
    check_decidable(item, decision)

    return await _decide(decision, use)


async def _decide(decision: Decision, use: Ports) -> ReviewItem:
    for _ in range(LOOKS_MAX):
        async with use.ledger.unit() as unit:
            item = await use.items.decide_item(unit, decision)
            if item is not None:
                _announce(item, decision, unit)
                await use.trail.record(unit, _entry(item, decision))
        if item is not None:
            REVIEW_DECISIONS.labels(decision.verdict).inc()
            return item
        # Somebody was faster than our commit: say what the item is now.
        item = await get_item(decision.document_id, use)
        if is_settled_as(item, decision):
            return item
        check_decidable(item, decision)
        # What was in our way has just gone: a claim that ended between our two looks.
    raise Retryable("the item keeps changing hands", after_s=1)


def _announce(item: ReviewItem, decision: Decision, unit: Unit) -> None:
    cause = _opening(item)
    if decision.reviewed_key is not None:
        unit.send(
            FinaliseDocumentV1(
                document_id=item.document_id,
                owner_id=item.owner_id,
                accepted_at=item.accepted_at,
                priority=item.priority,
                extraction_key=decision.reviewed_key,
                verdict=decision.verdict,
                reviewer=decision.reviewer,
                review_revision=item.revision,
                result_version=item.result_version,
            ),
            cause=cause,
        )
    unit.send(
        ReviewDecidedV1(
            document_id=item.document_id,
            owner_id=item.owner_id,
            accepted_at=item.accepted_at,
            priority=item.priority,
            verdict=decision.verdict,
            reviewer=decision.reviewer,
            result_version=item.result_version,
        ),
        cause=cause,
    )


def _opening(item: ReviewItem) -> Job[OpenReviewV1]:
    """The order that opened the item, so that the decision goes on in its trace and run."""
    order = OpenReviewV1(
        document_id=item.document_id,
        owner_id=item.owner_id,
        accepted_at=item.accepted_at,
        priority=item.priority,
        extraction_key=item.extraction_key,
        result_version=item.result_version,
        sha256=item.sha256,
        engine=item.engine,
        confidence=item.confidence,
        duplicate=item.duplicate,
    )
    return Job(
        body=order,
        job_id=item.job_id,
        queue=REVIEW.name,
        priority=item.priority,
        headers={RUN: str(item.run)},
        traceparent=item.traceparent,
    )


def _entry(item: ReviewItem, decision: Decision) -> Entry:
    return Entry(
        actor=decision.reviewer,
        action=f"item_{decision.verdict}",
        resource=resource_of(item.document_id),
        before={"version": decision.version},
        after={
            "version": item.version,
            "revision": item.revision,
            "reviewed_key": item.reviewed_key,
            "reason_code": item.reason_code,
        },
        reason=decision.reason or "",
    )


async def _whole(data: bytes) -> AsyncIterator[bytes]:
    yield data
