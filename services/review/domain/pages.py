"""Which pages a document has, as a person is shown them, and under which keys they are kept.

A picture is made of the content and of how it is drawn, of nothing else: so it is kept under
the content's digest, serves each document with the same bytes, and never changes. Whoever
draws differently raises RENDERER.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from uuid import UUID

from shared.contracts.extraction import ExtractionV1

RENDERER = "1"
XML = "application/xml"
FIRST = 1


class Width(IntEnum):
    """In pixels: to look for a page, to read it, to look at it closely."""

    SMALL = 640
    READING = 1280
    LARGE = 2560


@dataclass(frozen=True, slots=True)
class Page:
    """As it is displayed, in points of 1/72 inch; pixels of an image without a scale."""

    number: int
    width: float
    height: float
    # Where its words came from, if it has any.
    source: str | None = None


@dataclass(frozen=True, slots=True)
class ItemPages:
    document_id: UUID
    sha256: str
    media_type: str
    # What was recognised in it lies there.
    words_key: str | None
    # None while nobody has measured them; none at all of a document that is only data.
    pages: Sequence[Page] | None

    def page(self, number: int) -> Page:
        found = next((one for one in self.pages or () if one.number == number), None)
        if found is None:
            raise NoSuchPage(f"{self.document_id} has no page {number}")
        return found


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """In 0..1 of the displayed page, from its top left."""

    text: str
    bbox: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class PageWords:
    words: Sequence[PlacedWord]
    source: str | None


class NoSuchPage(LookupError):
    """The document has fewer, or none."""


class NotShown(ValueError):
    """The file cannot be drawn: the reason is a short code, the sentence for a person."""

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason


def pages_of(extraction: ExtractionV1) -> ItemPages:
    """As far as the reading tells: what read only the data of a page did not measure it."""
    told = [
        Page(one.number, one.width, one.height, one.source)
        for one in extraction.pages
        if one.width > 0 and one.height > 0
    ]
    complete = bool(told) and len(told) == extraction.page_count
    pages: Sequence[Page] | None = told if complete else None
    return ItemPages(
        document_id=extraction.document_id,
        sha256=extraction.sha256,
        media_type=extraction.media_type,
        words_key=extraction.words_key,
        pages=() if extraction.media_type == XML else pages,
    )


def drawn_prefix(sha256: str) -> str:
    """All that was ever drawn of a content, by whatever version."""
    return f"pages/{sha256[:2]}/{sha256}/"


def picture_key(sha256: str, number: int, width: int) -> str:
    return f"{drawn_prefix(sha256)}{RENDERER}/{number}-{width}.png"


def text_key(sha256: str, number: int) -> str:
    return f"{drawn_prefix(sha256)}{RENDERER}/{number}.words.json"
