"""What the API answers, as objects. What a newer service says on top is ignored.

Statuses and stages stay words: a client of last year must not break on a new one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

ENDED = frozenset({"completed", "failed", "duplicate", "cancelled", "deleted"})
READ = frozenset({"completed", "duplicate"})

Answer = Mapping[str, Any]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Accepted:
    document_id: UUID
    status: str
    # The idempotency key was used before, for this same request.
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class Status:
    document_id: UUID
    status: str
    stage: str = ""
    progress: int = 0
    review: str | None = None
    attempts: int = 0
    waiting_for: str | None = None
    error_message: str | None = None
    engine: str | None = None
    confidence: float | None = None
    # Of this very answer, to ask whether it has changed.
    etag: str = ""

    @property
    def ended(self) -> bool:
        return self.status in ENDED

    @property
    def was_read(self) -> bool:
        return self.status in READ


@dataclass(frozen=True, slots=True)
class Document:
    document_id: UUID
    status: str
    filename: str
    media_type: str
    sha256: str
    size_bytes: int
    priority: str
    created_at: datetime
    completed_at: datetime | None
    error_message: str | None
    tags: Sequence[str]
    metadata: Mapping[str, Any]
    summary: Mapping[str, str | None]
    # Of a duplicate that was asked for by its id: the document that was read.
    original_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Field:
    value: str | None
    confidence: float | None = None
    status: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What was read: fields by dotted path, such as `seller.name`."""

    document_id: UUID
    engine: str
    confidence: float | None
    fields: Mapping[str, Field]
    # All of it, as the API said it.
    raw: Answer

    def value(self, path: str) -> str:
        found = self.fields.get(path)
        return found.value or "" if found else ""


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    items: Sequence[Item]
    next: str | None


@dataclass(frozen=True, slots=True)
class Member:
    """One document of a batch."""

    position: int
    document_id: UUID
    status: str
    filename: str
    error_message: str | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """One file of a batch that was not taken in, and why."""

    position: int
    filename: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Batch:
    batch_id: UUID
    status: str
    progress: int
    counts: Mapping[str, int]
    items: Sequence[Member]
    rejected: Sequence[Refusal]
    etag: str = ""

    @property
    def ended(self) -> bool:
        return self.status == "completed"


def accepted(answer: Answer, *, replayed: bool) -> Accepted:
    return Accepted(UUID(answer["document_id"]), str(answer["status"]), replayed)


def status(answer: Answer, etag: str) -> Status:
    return Status(
        document_id=UUID(answer["document_id"]),
        status=str(answer["status"]),
        stage=str(answer.get("stage") or ""),
        progress=int(answer.get("progress") or 0),
        review=answer.get("review"),
        attempts=int(answer.get("attempts") or 0),
        waiting_for=answer.get("waiting_for"),
        error_message=answer.get("error_message"),
        engine=answer.get("engine"),
        confidence=answer.get("confidence"),
        etag=etag,
    )


def document(answer: Answer) -> Document:
    return Document(
        document_id=UUID(answer["document_id"]),
        status=str(answer["status"]),
        filename=str(answer.get("filename") or ""),
        media_type=str(answer.get("media_type") or ""),
        sha256=str(answer.get("sha256") or ""),
        size_bytes=int(answer.get("size_bytes") or 0),
        priority=str(answer.get("priority") or ""),
        created_at=datetime.fromisoformat(answer["created_at"]),
        completed_at=_moment(answer.get("completed_at")),
        error_message=answer.get("error_message"),
        tags=tuple(answer.get("tags") or ()),
        metadata=answer.get("metadata") or {},
        summary=answer.get("summary") or {},
        original_id=UUID(answer["original_id"]) if answer.get("original_id") else None,
    )


def result(answer: Answer) -> Result:
    return Result(
        document_id=UUID(answer["document_id"]),
        engine=str(answer.get("engine") or ""),
        confidence=answer.get("confidence"),
        fields={str(path): _field(one) for path, one in (answer.get("fields") or {}).items()},
        raw=answer,
    )


def page(answer: Answer) -> Page[Document]:
    return Page([document(one) for one in answer["items"]], answer.get("next"))


def batch(answer: Answer, etag: str) -> Batch:
    return Batch(
        batch_id=UUID(answer["batch_id"]),
        status=str(answer["status"]),
        progress=int(answer.get("progress") or 0),
        counts=answer.get("counts") or {},
        items=[_member(one) for one in answer.get("items") or ()],
        rejected=[_refusal(one) for one in answer.get("rejected") or ()],
        etag=etag,
    )


def _refusal(answer: Answer) -> Refusal:
    return Refusal(
        position=int(answer["position"]),
        filename=str(answer.get("filename") or ""),
        reason=str(answer.get("reason") or ""),
        detail=str(answer.get("detail") or ""),
    )


def _member(answer: Answer) -> Member:
    return Member(
        position=int(answer["position"]),
        document_id=UUID(answer["document_id"]),
        status=str(answer["status"]),
        filename=str(answer.get("filename") or ""),
        error_message=answer.get("error_message"),
    )


def _field(answer: object) -> Field:
    # Files of an earlier schema hold bare values.
    if not isinstance(answer, Mapping):
        return Field(None if answer is None else str(answer))
    value = answer.get("value")
    return Field(
        None if value is None else str(value),
        answer.get("confidence"),
        str(answer.get("status") or ""),
    )


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
