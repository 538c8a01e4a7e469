"""Review items as clients read them, and the little that they send."""

from datetime import datetime
from typing import Any, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from services.review.api.asking import Reason
from services.review.api.forming import BlockerView, FieldView, TotalsView, TwinView
from services.review.api.pages import PageView
from services.review.api.ranks import RankView
from services.review.domain.items import ItemStatus, ReviewItem
from services.review.domain.ranking import Sla
from shared.audit.chain import Line
from shared.contracts.body import Priority

ReasonCode = Literal[
    "unreadable", "not_an_invoice", "wrong_recipient", "duplicate", "suspicious", "other"
]


class Links(BaseModel):
    item: str
    audit: str
    pages: str


class ItemView(BaseModel):
    document_id: UUID
    owner_id: str
    filename: str
    status: ItemStatus
    priority: Priority
    confidence: float
    engine: str
    duplicate: bool
    result_version: int
    version: int
    revision: int
    # Absent once the lease has ended: the item is free again.
    claimed_by: str | None
    claimed_until: datetime | None
    decided_by: str | None
    decided_at: datetime | None
    reason_code: str | None
    reason: str | None
    accepted_at: datetime
    opened_at: datetime
    # Why it stands where it stands in the queue, by when it is wanted, and of whom.
    rank: RankView
    due_at: datetime
    sla: Sla
    assigned_to: str | None
    postponed_until: datetime | None
    level: int
    seconds_spent: float
    links: Links

    @classmethod
    def of(cls, item: ReviewItem, **more: Any) -> Self:  # noqa: ANN401 -- a subclass's fields
        home = f"/v1/items/{item.document_id}"
        held = {"claimed_by", "claimed_until"} if item.claim_holds else set[str]()
        shown = {
            name: getattr(item, name)
            for name in ItemView.model_fields
            if name not in {"claimed_by", "claimed_until", "links", "rank", "sla"} - held
        }
        absent = {"claimed_by": None, "claimed_until": None}
        links = Links(item=home, audit=f"{home}/audit", pages=f"{home}/pages")
        return cls(**{**absent, **shown, "links": links, **more})


class ItemDetail(ItemView):
    """An item with its values, in the order of the form."""

    fields: list[FieldView]
    # What is to be said against it, the worst first.
    blockers: list[BlockerView]
    totals: TotalsView
    # Other invoices that look like this one.
    twins: list[TwinView]
    # None of an invoice that is only data, and of a file that cannot be shown: `links.pages`
    # says why.
    pages: list[PageView]
    # What the caller may do to it now, by the name of the route; `undo` is a way to reopen.
    actions: list[str]
    # Why `approve` is not among them for the caller, who may approve others: two persons are
    # asked for, and the caller was the first.
    needs_another: str | None
    # The file it was part of, and the documents that were made of its own pages.
    parent_id: UUID | None
    children: list[UUID]
    duplicate_of: UUID | None
    # The document is being read anew: since when, and for whom.
    reextract_asked_at: datetime | None
    reextract_asked_by: str | None
    # Any of which may be asked to read it anew.
    engines: list[str]


class ItemPage(BaseModel):
    items: list[ItemView]
    # Pass it back as `cursor`; absent on the last page.
    next: str | None


class Rejection(BaseModel):
    model_config = ConfigDict(extra="forbid")

    reason_code: ReasonCode = "other"
    reason: Reason = Field(examples=["The page is a delivery note."])


class AuditEntry(BaseModel):
    seq: int
    at: datetime
    actor: str
    action: str
    before: Any
    after: Any
    reason: str

    @classmethod
    def of(cls, line: Line) -> Self:
        entry = line.entry()
        return cls(
            seq=line.seq,
            at=line.at,
            actor=entry.actor,
            action=entry.action,
            before=entry.before,
            after=entry.after,
            reason=entry.reason,
        )


class AuditPage(BaseModel):
    entries: list[AuditEntry]
