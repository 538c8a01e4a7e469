"""Results, exports and batches as clients read them, and the little that they send."""

from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from services.storage.domain.exports import Export, ExportStatus, Format, Rows
from services.storage.domain.handover import Approval, Batch, Consumer, Given
from services.storage.domain.listed import Version


class VersionView(BaseModel):
    document_id: UUID
    version: int
    verdict: str | None = Field(description="Null is what a machine read and nobody judged.")
    is_current: bool
    has_files: bool = Field(description="A copy of a known document has none of its own.")
    accepted_at: datetime
    stored_at: datetime
    links: dict[str, str]

    @classmethod
    def of(cls, one: Version) -> Self:
        home = f"/v1/results/{one.document_id}/versions/{one.version}"
        links = {"self": home, "download": f"{home}/download"}
        shown = {name: getattr(one, name) for name in cls.model_fields if name != "links"}
        return cls(**shown, links=links)


class VersionList(BaseModel):
    items: list[VersionView]


class LinkWanted(BaseModel):
    model_config = ConfigDict(extra="forbid")

    format: Literal["json", "parquet"] = "json"
    version: int | None = Field(None, ge=1, description="Without one it is the current.")
    expires_in_s: int = Field(3600, ge=1, le=7 * 86_400)


class ExportLinkWanted(BaseModel):
    model_config = ConfigDict(extra="forbid")

    expires_in_s: int = Field(3600, ge=1, le=7 * 86_400)


class Link(BaseModel):
    url: str = Field(description="Opens without a key until it expires.")
    expires_at: datetime


class ExportView(BaseModel):
    export_id: UUID
    status: ExportStatus
    format: Format
    rows: Rows
    filters: dict[str, object]
    progress: int = Field(ge=0, le=100)
    done: int
    total: int | None
    size_bytes: int | None
    sha256: str | None
    failure: str | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    expires_at: datetime | None
    links: dict[str, str]

    @classmethod
    def of(cls, one: Export) -> Self:
        home, order = f"/v1/exports/{one.export_id}", one.order
        links = {"self": home}
        if one.status == "completed":
            links |= {"download": f"{home}/download", "links": f"{home}/links"}
        elif one.ended_at is None:
            links["cancel"] = f"{home}/cancel"
        made = {"format", "rows", "filters", "links"}
        shown = {name: getattr(one, name) for name in cls.model_fields.keys() - made}
        filters: dict[str, object] = order.wanted.told()
        if order.of_owner is not None:
            filters["owner"] = order.of_owner
        return cls(**shown, format=order.format, rows=order.rows, filters=filters, links=links)


class ExportPage(BaseModel):
    items: list[ExportView]
    # Pass it back as `cursor`; absent on the last page.
    next: str | None


class ConsumerWanted(BaseModel):
    model_config = ConfigDict(extra="forbid")

    scope: Literal["own", "all"] = Field(
        "own", description="Whose documents; those of all need a permission of their own."
    )
    start: Literal["beginning", "now"] = Field(
        "beginning", description="Looked at when the consumer is new."
    )


class ConsumerView(BaseModel):
    name: str
    scope: Literal["own", "all"]
    created_at: datetime
    waiting: int | None = Field(
        None, description="Approved versions not acknowledged yet, counted up to 10,000."
    )
    links: dict[str, str]

    @classmethod
    def of(cls, one: Consumer, waiting: int | None = None) -> Self:
        home = f"/v1/consumers/{one.name}"
        return cls(
            name=one.name,
            scope="all" if one.of_owner is None else "own",
            created_at=one.created_at,
            waiting=waiting,
            links={"self": home, "batches": f"{home}/batches", "receipts": f"{home}/receipts"},
        )


class ConsumerList(BaseModel):
    items: list[ConsumerView]


class ItemView(BaseModel):
    document_id: UUID
    version: int
    owner_id: str
    verdict: str
    approved_at: datetime
    erased: bool = Field(description="Deleted since it was given; there is nothing to fetch.")
    links: dict[str, str]

    @classmethod
    def of(cls, one: Approval) -> Self:
        home = f"/v1/results/{one.document_id}"
        version = f"{home}/versions/{one.version}"
        links = {
            "result": version,
            "download": f"{version}/download",
            "ubl": f"{home}/ubl?version={one.version}",
        }
        return cls(
            document_id=one.document_id,
            version=one.version,
            owner_id=one.owner_id,
            verdict=one.verdict,
            approved_at=one.approved_at,
            erased=one.erased_at is not None,
            links={} if one.erased_at else links,
        )


class ReceiptView(BaseModel):
    batch_id: UUID
    count: int
    sha256: str = Field(
        description="Over `<document_id> <version>` and a line feed for each, in their order."
    )
    created_at: datetime
    times_given: int
    acknowledged_at: datetime | None
    acknowledged_by: str | None

    @classmethod
    def of(cls, one: Batch) -> Self:
        return cls(**{name: getattr(one, name) for name in ReceiptView.model_fields})


class BatchView(ReceiptView):
    items: list[ItemView]
    links: dict[str, str]

    @classmethod
    def given(cls, one: Given, consumer: str) -> Self:
        home = f"/v1/consumers/{consumer}/batches/{one.batch.batch_id}"
        receipt = ReceiptView.of(one.batch).model_dump()
        items = [ItemView.of(item) for item in one.items]
        return cls(**receipt, items=items, links={"self": home, "ack": f"{home}/ack"})


class ReceiptPage(BaseModel):
    items: list[ReceiptView]
    # Pass it back as `cursor`; absent on the last page.
    next: str | None


class Acknowledgement(BaseModel):
    model_config = ConfigDict(extra="forbid")

    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")] | None = Field(
        None, description="That of the batch: refused when something else was put away."
    )
