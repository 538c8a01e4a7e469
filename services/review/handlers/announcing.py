"""What is told of an item: a decision to storage and to everybody, and whose hands it is in.

All of it goes on in the trace and the run of the order that opened the item, days later.
"""

from typing import Any

from services.review.domain.claims import SYSTEM
from services.review.domain.decisions import Reopening, replaces_approval
from services.review.domain.items import Decision, ItemStatus, ReviewItem
from shared.bus.headers import RUN
from shared.bus.jobs import Job
from shared.contracts.facts import (
    DocumentSplitFailedV1,
    ReviewClaimedV1,
    ReviewDecidedV1,
    ReviewReleasedV1,
    ReviewReopenedV1,
)
from shared.contracts.orders import (
    FinaliseDocumentV1,
    OpenReviewV1,
    PartV1,
    SplitDocumentV1,
    Verdict,
)
from shared.ledger.port import Unit
from shared.topology.queues import REVIEW


def announce(unit: Unit, item: ReviewItem, decision: Decision) -> None:
    cause = opening_of(item)
    if decision.reviewed_key is not None or replaces_approval(item):
        unit.send(
            FinaliseDocumentV1(
                **document_of(item),
                extraction_key=decision.reviewed_key or item.reviewed_key or "",
                verdict=decision.verdict,
                reviewer=decision.reviewer,
                review_revision=item.revision,
                result_version=item.result_version,
            ),
            cause=cause,
        )
    if decision.parts:
        unit.send(_split(item, decision), cause=cause)
    unit.send(
        ReviewDecidedV1(
            **document_of(item),
            verdict=decision.verdict,
            reviewer=decision.reviewer,
            result_version=item.result_version,
            review_revision=item.revision,
            reason_code=decision.reason_code,
        ),
        cause=cause,
    )


def _split(item: ReviewItem, decision: Decision) -> SplitDocumentV1:
    return SplitDocumentV1(
        **document_of(item),
        parts=tuple(
            PartV1(document_id=one.document_id, pages=tuple(one.pages))
            for one in decision.parts
        ),
        reviewer=decision.reviewer,
        reason=decision.reason or "",
    )


def announce_reopened(
    unit: Unit, item: ReviewItem, asked: Reopening, taken_back: Verdict
) -> None:
    fact = ReviewReopenedV1(
        **document_of(item),
        verdict=taken_back,
        reviewer=asked.actor,
        result_version=item.result_version,
        review_revision=item.revision,
        undone=asked.undo,
    )
    unit.send(fact, cause=opening_of(item))


def announce_hands(unit: Unit, *items: ReviewItem) -> None:
    """Whether somebody has each of these open items in hand now."""
    for item in items:
        told = {
            **document_of(item),
            "result_version": item.result_version,
            "review_revision": item.revision,
            "turn": item.turn,
        }
        fact: ReviewClaimedV1 | ReviewReleasedV1
        if item.status is ItemStatus.IN_REVIEW:
            fact = ReviewClaimedV1(**told, reviewer=item.claimed_by or "")
        else:
            fact = ReviewReleasedV1(**told)
        unit.send(fact, cause=opening_of(item))


def announce_split_failed(
    unit: Unit, item: ReviewItem, *, cause: Job[DocumentSplitFailedV1]
) -> None:
    fact = ReviewReopenedV1(
        **document_of(item),
        verdict="rejected",
        reviewer=SYSTEM,
        result_version=item.result_version,
        review_revision=item.revision,
        undone=False,
    )
    unit.send(fact, cause=cause)


def document_of(item: ReviewItem) -> dict[str, Any]:
    """What every message about the document carries."""
    return {
        "document_id": item.document_id,
        "owner_id": item.owner_id,
        "accepted_at": item.accepted_at,
        "priority": item.priority,
    }


def opening_of(item: ReviewItem) -> Job[OpenReviewV1]:
    """The order that opened the item, so that the decision goes on in its trace and run."""
    order = OpenReviewV1(
        **document_of(item),
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
