"""What clients read: the bodies of the answers, mapped from rows in one place each."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, Field

from services.ingest.domain.documents import Document, Event, links
from services.ingest.domain.splitting import Family
from services.ingest.domain.waiting import QueuePlace
from shared.contracts.body import Priority


class Accepted(BaseModel):
    document_id: UUID
    status: str
    links: dict[str, str]


class StatusView(BaseModel):
    document_id: UUID
    status: str
    stage: str
    progress: int
    review: str | None
    run: int
    attempts: int
    waiting_for: str | None
    # Of a document that waits for its turn, unless it is beyond what is told.
    queue_place: int | None
    queue_length: int | None
    next_attempt_at: datetime | None
    error_message: str | None
    engine: str | None
    confidence: float | None
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    updated_at: datetime
    links: dict[str, str]


class SummaryView(BaseModel):
    vendor_name: str | None
    invoice_number: str | None
    invoice_date: str | None
    total: str | None
    currency: str | None


class DocumentView(StatusView):
    owner_id: str
    filename: str
    media_type: str
    sha256: str
    size_bytes: int
    priority: str
    duplicate: bool
    result_version: int
    summary: SummaryView
    tags: list[str]
    metadata: dict[str, Any]
    due_at: datetime | None


class DocumentDetail(DocumentView):
    """With the documents that it belongs to: its file, its parts, its original."""

    parent_id: UUID | None
    # Of the file that it was part of.
    parent_pages: list[int]
    children: list[UUID]
    original_id: UUID | None = Field(
        description="Of a duplicate: the document with the same bytes that was read."
    )


class DocumentPage(BaseModel):
    items: list[DocumentView]
    next: str | None


class EventView(BaseModel):
    seq: int
    at: datetime
    type: str
    body: dict[str, Any]


class EventPage(BaseModel):
    items: list[EventView]
    next: str | None


def accepted_view(document_id: UUID) -> Accepted:
    # Only what the first answer said too: a repeated request is answered with the same bytes.
    return Accepted(document_id=document_id, status="queued", links=links(document_id))


_ANY = UUID(int=0)
_ANY_ACCEPTED = accepted_view(_ANY).model_dump_json()


def accepted_text(document_id: UUID) -> str:
    """What `accepted_view` is as JSON: made once, since every upload is answered with it."""
    return _ANY_ACCEPTED.replace(str(_ANY), str(document_id))


def status_view(document: Document, place: QueuePlace | None = None) -> StatusView:
    return StatusView(**_status(document, place))


def document_view(document: Document, place: QueuePlace | None = None) -> DocumentView:
    return DocumentView(
        **_status(document, place),
        owner_id=document.owner_id,
        filename=document.filename,
        media_type=document.media_type,
        sha256=document.sha256,
        size_bytes=document.size_bytes,
        priority=Priority(document.priority).name.lower(),
        duplicate=document.duplicate,
        result_version=document.result_version,
        summary=SummaryView(
            vendor_name=document.vendor_name,
            invoice_number=document.invoice_number,
            invoice_date=document.invoice_date,
            total=document.total,
            currency=document.currency,
        ),
        tags=list(document.tags),
        metadata=document.metadata,
        due_at=document.due_at,
    )


def document_detail(
    document: Document, family: Family, place: QueuePlace | None = None
) -> DocumentDetail:
    return DocumentDetail(
        **document_view(document, place).model_dump(),
        parent_id=family.parent_id,
        parent_pages=list(family.pages),
        children=list(family.children),
        original_id=family.original_id,
    )


def event_view(event: Event) -> EventView:
    return EventView(seq=event.seq, at=event.at, type=event.type, body=event.body)


def _status(document: Document, place: QueuePlace | None) -> dict[str, Any]:
    return {
        "document_id": document.document_id,
        "status": document.status,
        "stage": document.stage,
        "progress": document.progress,
        "review": document.review_status,
        "run": document.run,
        "attempts": document.attempts,
        "waiting_for": document.waiting_for or (place.line if place else None),
        "queue_place": place.place if place else None,
        "queue_length": place.length if place else None,
        "next_attempt_at": document.next_attempt_at,
        "error_message": document.error_message,
        "engine": document.engine,
        "confidence": document.confidence,
        "created_at": document.created_at,
        "started_at": document.started_at,
        "completed_at": document.completed_at,
        "updated_at": document.updated_at,
        "links": links(document.document_id),
    }
