"""Review items as clients read them, and the little that they send."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from services.review.domain import ItemField, ItemStatus, ReviewItem
from shared.audit.chain import Line
from shared.contracts.body import Priority

ReasonCode = Literal[
    "unreadable", "not_an_invoice", "wrong_recipient", "duplicate", "suspicious", "other"
]


class Links(BaseModel):
    item: str
    audit: str


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
    links: Links

    @classmethod
    def of(cls, item: ReviewItem, **more: Any) -> Self:  # noqa: ANN401 -- a subclass's fields
        home = f"/v1/items/{item.document_id}"
        held = {"claimed_by", "claimed_until"} if item.claim_holds else set[str]()
        shown = {
            name: getattr(item, name)
            for name in ItemView.model_fields
            if name not in {"claimed_by", "claimed_until", "links"} - held
        }
        absent = {"claimed_by": None, "claimed_until": None}
        links = Links(item=home, audit=f"{home}/audit")
        return cls(**{**absent, **shown, "links": links, **more})


class FieldView(BaseModel):
    path: str
    value: str | None
    raw: str | None
    confidence: float
    status: str
    source: str | None
    evidence: Sequence[dict[str, Any]]

    @classmethod
    def of(cls, field: ItemField) -> Self:
        return cls(**{name: getattr(field, name) for name in cls.model_fields})


class ItemDetail(ItemView):
    """An item with its values, in the order of the form."""

    fields: list[FieldView]


class ItemPage(BaseModel):
    items: list[ItemView]
    # Pass it back as `cursor`; absent on the last page.
    next: str | None


class Rejection(BaseModel):
    model_config = ConfigDict(extra="forbid")

    reason_code: ReasonCode = "other"
    reason: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)
    ] = Field(examples=["The page is a delivery note."])


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
