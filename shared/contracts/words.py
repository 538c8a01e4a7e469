"""The words that were recognised on scanned pages, kept beside the extraction.

For whoever shows the page and lets a person point at a word. They are each document's own, so
that they go with it; those of a text layer are not kept, for anybody can read them again.
"""

from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

SCHEMA_VERSION = "1.0"


class RecognisedWord(BaseModel):
    """As `Evidence` says it: 1-based page, box in 0..1 of the page from its top left."""

    model_config = ConfigDict(frozen=True)

    text: str
    page: int = Field(ge=1)
    bbox: tuple[float, float, float, float]
    # What the recogniser thinks of it.
    confidence: float = Field(default=1.0, ge=0, le=1)


class RecognisedWordsV1(BaseModel):
    model_config = ConfigDict(frozen=True)

    schema_version: str = SCHEMA_VERSION
    words: tuple[RecognisedWord, ...]

    def to_bytes(self) -> bytes:
        return self.model_dump_json().encode()


def words_prefix(document_id: UUID) -> str:
    """Everything that was ever recognised in the document."""
    return f"words/{document_id}/"


def words_key(document_id: UUID, sha256: str) -> str:
    return f"{words_prefix(document_id)}{sha256}.json"
