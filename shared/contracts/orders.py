"""The orders: what one stage asks of the next. A published version never changes.

They carry keys of the object store, never bytes: a message stays under 64 KiB.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, Self
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, model_validator

from shared.contracts.body import Body, Order, Priority

Verdict = Literal["approved", "corrected", "rejected"]
# Of one file; more would be an archive.
PARTS_MAX = 100
# Not a closed list: an engine may be newer than who passes its name on.
EngineAsked = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]


class SourceV1(BaseModel):
    """Bytes in a bucket that the operator has allowed by this name. Never an address."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    bucket: str = Field(min_length=1, max_length=100)
    key: str = Field(min_length=1, max_length=1024)
    # In a bucket that keeps them; without it the newest is meant.
    version_id: str | None = Field(default=None, min_length=1, max_length=1024)


class SubmitDocumentV1(Body):
    """Another program hands in a document: what lies in the object store already, or a source
    from which it is fetched."""

    type: ClassVar[str] = "document.submit"
    version: ClassVar[str] = "1.1"

    owner_id: str = Field(min_length=1, max_length=200)
    idempotency_key: str = Field(min_length=1, max_length=200)
    content_key: str | None = Field(default=None, min_length=1, max_length=500)
    filename: str = Field(default="", max_length=255)
    priority: Priority = Priority.NORMAL
    # Since 1.1: one of `content_key` and `source`, and what the sender says for itself.
    source: SourceV1 | None = None
    tags: tuple[Annotated[str, Field(max_length=200)], ...] = Field(default=(), max_length=20)
    metadata: Mapping[str, Any] = Field(default_factory=dict)
    due_at: AwareDatetime | None = None

    @model_validator(mode="after")
    def _names_the_bytes_once(self) -> Self:
        if (self.content_key is None) == (self.source is None):
            raise ValueError("exactly one of content_key and source is expected")
        return self


class ExtractDocumentV1(Order):
    """Read this scan."""

    type: ClassVar[str] = "document.extract"
    version: ClassVar[str] = "1.3"

    content_key: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    size_bytes: int = Field(ge=0)
    media_type: str
    filename: str = ""
    # Since 1.1. Ask the engine, whatever has been read of the same content before.
    force: bool = False
    # The result that the new one is to replace, once there is one; 0 for the first reading.
    replaces_version: int = Field(default=0, ge=0)
    # Since 1.2: by when the client wants it, for those who put it in order.
    due_at: datetime | None = None
    # Since 1.3: the engine that somebody wants it read by; the usual ones without it.
    engine: EngineAsked | None = None


class StoreDocumentV1(Order):
    """Keep this extraction as the document's result."""

    type: ClassVar[str] = "document.store"
    version: ClassVar[str] = "1.2"

    extraction_key: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    engine: str
    confidence: float = Field(ge=0, le=1)
    cache_hit: bool = False
    # Since 1.1.
    replaces_version: int = Field(default=0, ge=0)
    # Since 1.2.
    due_at: datetime | None = None


class OpenReviewV1(Order):
    """Show this result to a person."""

    type: ClassVar[str] = "document.review"
    version: ClassVar[str] = "1.1"

    extraction_key: str
    result_version: int = Field(ge=1)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    engine: str
    confidence: float = Field(ge=0, le=1)
    duplicate: bool = False
    # Since 1.1: by when the client wants it.
    due_at: datetime | None = None


class PartV1(BaseModel):
    """Pages of a file that are a document of their own, and the id it has from the start."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    document_id: UUID
    pages: tuple[Annotated[int, Field(ge=1)], ...] = Field(min_length=1, max_length=1_000)


class SplitDocumentV1(Order):
    """Make a document of each part: a person found several invoices in one file."""

    type: ClassVar[str] = "document.split"

    parts: tuple[PartV1, ...] = Field(min_length=2, max_length=PARTS_MAX)
    reviewer: str
    reason: str = ""


class ReextractDocumentV1(Order):
    """Read it anew: a person found that it was read too badly to correct."""

    type: ClassVar[str] = "document.reextract"
    version: ClassVar[str] = "1.1"

    # The reading that was looked at.
    result_version: int = Field(ge=1)
    reviewer: str
    reason: str = ""
    # Since 1.1: by this engine.
    engine: EngineAsked | None = None


class FinaliseDocumentV1(Order):
    """Make what the reviewer decided the document's current result."""

    type: ClassVar[str] = "document.finalise"
    version: ClassVar[str] = "1.1"

    extraction_key: str
    verdict: Verdict
    reviewer: str
    review_revision: int = Field(ge=1)
    # Since 1.1: the machine's result that was judged.
    result_version: int = Field(default=1, ge=1)
