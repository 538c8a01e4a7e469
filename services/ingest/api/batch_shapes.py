"""What clients read of a batch, mapped from rows in one place."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from services.ingest.domain.batches import Batch, Member
from services.ingest.domain.documents import links


class BatchRow(BaseModel):
    batch_id: UUID
    status: str
    progress: int
    # How often all of it has ended: a document that is begun anew ends it once more.
    revision: int
    documents: int
    counts: dict[str, int]
    rejected_count: int
    created_at: datetime
    completed_at: datetime | None
    links: dict[str, str]


class BatchPage(BaseModel):
    items: list[BatchRow]
    next: str | None


class RejectedView(BaseModel):
    position: int
    filename: str = ""
    reason: str
    detail: str = ""


class MemberView(BaseModel):
    position: int
    document_id: UUID
    status: str
    stage: str
    progress: int
    filename: str
    error_message: str | None
    confidence: float | None


class BatchView(BatchRow):
    rejected: list[RejectedView]
    items: list[MemberView]


class MemberResult(BaseModel):
    position: int
    document_id: UUID
    status: str
    filename: str
    error_message: str | None
    confidence: float | None
    vendor_name: str | None
    invoice_number: str | None
    invoice_date: str | None
    total: str | None
    currency: str | None
    links: dict[str, str]


class ResultPage(BaseModel):
    batch_id: UUID
    revision: int
    counts: dict[str, int]
    rejected: list[RejectedView]
    items: list[MemberResult]
    next: str | None


class Cancelled(BaseModel):
    batch_id: UUID
    cancelled: int


def batch_row(batch: Batch) -> BatchRow:
    return BatchRow(**_row(batch))


def batch_view(batch: Batch, members: Sequence[Member]) -> BatchView:
    return BatchView(
        **_row(batch),
        rejected=rejected_of(batch),
        items=[MemberView.model_validate(one, from_attributes=True) for one in members],
    )


def member_result(member: Member) -> MemberResult:
    shown = {
        name: getattr(member, name) for name in MemberResult.model_fields if name != "links"
    }
    return MemberResult(**shown, links=links(member.document_id))


def rejected_of(batch: Batch) -> list[RejectedView]:
    return [RejectedView.model_validate(one) for one in batch.rejected]


def links_of(batch: Batch) -> dict[str, str]:
    own = f"/v1/batches/{batch.batch_id}"
    return {"self": own, **{part: f"{own}/{part}" for part in ("result", "events", "cancel")}}


def _row(batch: Batch) -> dict[str, Any]:
    return {
        "batch_id": batch.batch_id,
        "status": "completed" if batch.is_complete else "processing",
        "progress": batch.progress,
        "revision": batch.revision,
        "documents": batch.documents,
        "counts": dict(batch.counts),
        "rejected_count": len(batch.rejected),
        "created_at": batch.created_at,
        # While a replay has one of its documents under way again it is not complete.
        "completed_at": batch.completed_at if batch.is_complete else None,
        "links": links_of(batch),
    }
