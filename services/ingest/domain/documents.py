"""A document as ingest keeps it, and what a client may say about it."""

import hashlib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from services.ingest.domain.said import NOTHING, Said
from shared.contracts.body import Priority
from shared.contracts.facts import DocumentAcceptedV1

FILENAME_CHARS_MAX = 255
KEY_CHARS_MAX = 200
PRIORITIES = {priority.name.lower(): priority for priority in Priority}


@dataclass(frozen=True, slots=True)
class Details:
    """What the client says beside the bytes. `route` scopes the key: the same key may be
    used for another kind of request."""

    owner_id: str
    filename: str = ""
    priority: Priority = Priority.NORMAL
    idempotency_key: str | None = None
    route: str = "documents"
    said: Said = NOTHING


@dataclass(frozen=True, slots=True)
class Scan:
    """Bytes that lie in the object store."""

    content_key: str
    sha256: str
    size_bytes: int
    media_type: str


@dataclass(frozen=True, slots=True)
class NewDocument:
    document_id: UUID
    # The identity of the fact `document.accepted`, by which its return is recognised.
    accepted_id: UUID
    accepted_at: datetime
    scan: Scan
    details: Details
    # The trace of its request, whoever commits it.
    carried: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Claim:
    """A client's word that one key stands for one request."""

    owner_id: str
    route: str
    idempotency_key: str
    request_hash: str
    document_id: UUID


@dataclass(frozen=True, slots=True)
class Received:
    document_id: UUID
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """One row, as far as a client may see it. Names are those of the columns."""

    document_id: UUID
    owner_id: str
    status: str
    stage: str
    progress: int
    review_status: str | None
    run: int
    attempts: int
    priority: int
    filename: str
    media_type: str
    sha256: str
    size_bytes: int
    content_key: str
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    updated_at: datetime
    next_attempt_at: datetime | None
    waiting_for: str | None
    error_message: str | None
    engine: str | None
    confidence: float | None
    result_key: str | None
    result_version: int
    vendor_name: str | None
    invoice_number: str | None
    invoice_date: str | None
    total: str | None
    currency: str | None
    duplicate: bool
    revision: int
    # The client's own words.
    tags: Sequence[str]
    metadata: dict[str, Any]
    due_at: datetime | None


@dataclass(frozen=True, slots=True)
class Event:
    seq: int
    at: datetime
    type: str
    body: dict[str, Any]


def logs_prefix(document_id: UUID) -> str:
    """Under which the stages leave what they have to say about a document."""
    return f"logs/{document_id}/"


def links(document_id: UUID) -> dict[str, str]:
    """Where the API tells of a document, by name."""
    own = f"/v1/documents/{document_id}"
    parts = ("status", "result", "events", "content", "logs")
    return {"self": own, **{part: f"{own}/{part}" for part in parts}}


def clean_filename(name: str) -> str:
    """For people to recognise, never for a path: no folders, no control or bidi characters."""
    last = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    shown = "".join(one for one in last if unicodedata.category(one)[0] != "C")
    return shown.strip()[:FILENAME_CHARS_MAX]


def request_hash(scan: Scan, details: Details) -> str:
    """Equal for equal requests; parts are separated so that none can imitate two."""
    said = details.said.fingerprint()
    parts = [scan.sha256, details.filename, str(int(details.priority)), *filter(None, [said])]
    return hashlib.sha256("\x00".join(parts).encode()).hexdigest()


def accepted_fact(document: NewDocument) -> DocumentAcceptedV1:
    return DocumentAcceptedV1(
        document_id=document.document_id,
        owner_id=document.details.owner_id,
        accepted_at=document.accepted_at,
        priority=document.details.priority,
        sha256=document.scan.sha256,
        media_type=document.scan.media_type,
        size_bytes=document.scan.size_bytes,
        filename=document.details.filename,
    )
