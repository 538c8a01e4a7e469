"""The orders: what one stage asks of the next. A published version never changes.

They carry keys of the object store, never bytes: a message stays under 64 KiB.
"""

from typing import ClassVar, Literal

from pydantic import Field

from shared.contracts.body import Body, Order, Priority

Verdict = Literal["approved", "corrected", "rejected"]


class SubmitDocumentV1(Body):
    """Another program hands in a document that already lies in the object store."""

    type: ClassVar[str] = "document.submit"

    owner_id: str = Field(min_length=1, max_length=200)
    idempotency_key: str = Field(min_length=1, max_length=200)
    content_key: str = Field(min_length=1, max_length=500)
    filename: str = Field(default="", max_length=255)
    priority: Priority = Priority.NORMAL


class ExtractDocumentV1(Order):
    """Read this scan."""

    type: ClassVar[str] = "document.extract"

    content_key: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    size_bytes: int = Field(ge=0)
    media_type: str
    filename: str = ""


class StoreDocumentV1(Order):
    """Keep this extraction as the document's result."""

    type: ClassVar[str] = "document.store"

    extraction_key: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    engine: str
    confidence: float = Field(ge=0, le=1)
    cache_hit: bool = False


class OpenReviewV1(Order):
    """Show this result to a person."""

    type: ClassVar[str] = "document.review"

    extraction_key: str
    result_version: int = Field(ge=1)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    engine: str
    confidence: float = Field(ge=0, le=1)
    duplicate: bool = False


class FinaliseDocumentV1(Order):
    """Make what the reviewer decided the document's current result."""

    type: ClassVar[str] = "document.finalise"

    extraction_key: str
    verdict: Verdict
    reviewer: str
    review_revision: int = Field(ge=1)
