"""What may be exported, in which form, and how far an export is.

A filter that names nothing takes everything its owner may see. An export holds each document
once, in the version that was current when its page was read.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import date, datetime
from typing import Any, Literal, get_args
from uuid import UUID

Format = Literal["jsonl", "csv", "xlsx", "parquet"]
Rows = Literal["documents", "lines"]
Judged = Literal["approved", "corrected", "rejected", "none"]
ExportStatus = Literal["waiting", "running", "completed", "failed", "cancelled", "expired"]

FORMATS: tuple[Format, ...] = get_args(Format)
OPEN: tuple[ExportStatus, ...] = ("waiting", "running")
MEDIA_TYPES: Mapping[Format, str] = {
    "jsonl": "application/jsonl",
    "csv": "text/csv; charset=utf-8; header=present",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "parquet": "application/vnd.apache.parquet",
}
# What a search would miss while there are results whose values nobody has looked up yet.
BY_VALUE = frozenset(
    {"issued_after", "issued_before", "vendor", "number", "currency", "confidence_min"}
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """`_after` is at that moment or later, `_before` is before it."""

    accepted_after: datetime | None = None
    accepted_before: datetime | None = None
    issued_after: date | None = None
    issued_before: date | None = None
    vendor: str | None = None
    number: str | None = None
    currency: str | None = None
    verdict: Judged | None = None
    confidence_min: float | None = None
    changed_after: datetime | None = None

    @property
    def vendor_pattern(self) -> str | None:
        return _begins_with(self.vendor)

    @property
    def number_pattern(self) -> str | None:
        return _begins_with(self.number)

    @property
    def looks_at_values(self) -> bool:
        return any(getattr(self, name) is not None for name in BY_VALUE)

    def told(self) -> dict[str, Any]:
        """As JSON, without what is not asked for."""
        return {
            name: value.isoformat() if isinstance(value, date) else value
            for name, value in asdict(self).items()
            if value is not None
        }


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be exported: `of_owner` None is everybody's."""

    of_owner: str | None
    wanted: Wanted
    format: Format
    rows: Rows = "documents"

    def fingerprint(self) -> str:
        told = [self.of_owner, self.wanted.told(), self.format, self.rows]
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()

    @property
    def filename(self) -> str:
        return f"invoices-{self.rows}.{self.format}"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page of results ended: the next one begins after it."""

    accepted_at: datetime
    document_id: UUID


@dataclass(frozen=True, slots=True)
class Export:
    """An export that is made in the background."""

    export_id: UUID
    owner_id: str
    order: Order
    status: ExportStatus
    run: int
    failures: int
    total: int | None
    done: int
    parts: int
    size_bytes: int | None
    sha256: str | None
    failure: str | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    expires_at: datetime | None

    def is_within(self, reach: str | None) -> bool:
        """Whether somebody who sees these documents, None being all, may see it: keys of one
        owner do not all see the same."""
        return reach is None or self.order.of_owner == reach

    @property
    def progress(self) -> int:
        if self.status in ("completed", "expired"):
            return 100
        # Documents may come while they are counted: it is not whole before it has ended.
        return min(99, 100 * self.done // self.total) if self.total else 0


class NoSuchExport(LookupError):
    """No export under this id, or one of somebody else."""


class NotAllowed(ValueError):
    """The state of the export forbids the action."""


class TooManyOpen(NotAllowed):
    """Of this owner so many are being made already."""


class KeyTaken(NotAllowed):
    """The idempotency key has ordered something else before."""


def parts_prefix(export_id: UUID, run: int | None = None) -> str:
    """Of one run, or of all: a run that was lost may still write, and only under its own."""
    return f"exports/{export_id}/" + (f"{run}/" if run is not None else "")


def part_key(export_id: UUID, run: int, part: int) -> str:
    return f"{parts_prefix(export_id, run)}{part:06d}"


def wanted_in(told: Mapping[str, Any]) -> Wanted:
    """What `told` told. What a newer version asks for and we do not know is no small thing."""
    kinds = {one.name for one in fields(Wanted)}
    if unknown := sorted(told.keys() - kinds):
        raise ValueError(f"unknown filters: {', '.join(unknown)}")
    return Wanted(**{name: _READ.get(name, _same)(value) for name, value in told.items()})


def _same(value: Any) -> Any:  # noqa: ANN401 -- whatever JSON held
    return value


_READ: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(
        ("accepted_after", "accepted_before", "changed_after"), datetime.fromisoformat
    ),
    **dict.fromkeys(("issued_after", "issued_before"), date.fromisoformat),
}


def _begins_with(text: str | None) -> str | None:
    """A pattern in which only its end is open."""
    if not text:
        return None
    plain = text.lower().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"{plain}%"
