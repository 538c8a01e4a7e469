"""A file that held several documents, and what is made of its pages."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from uuid import UUID

from services.ingest.domain.documents import FILENAME_CHARS_MAX, Details, Document
from services.ingest.domain.said import Said, clean_metadata
from shared.contracts.body import Priority

# Whose pages can be told apart; anything else is one page.
DIVISIBLE = frozenset({"application/pdf", "image/tiff"})
SUFFIX_CHARS_MAX = 10


@dataclass(frozen=True, slots=True)
class Child:
    """A document that is made of another one's pages."""

    document_id: UUID
    position: int
    pages: Sequence[int]


@dataclass(frozen=True, slots=True)
class Family:
    """Which file a document was part of, what was made of its own pages, and of a duplicate
    the document of the same bytes that was read."""

    parent_id: UUID | None = None
    pages: Sequence[int] = ()
    children: Sequence[UUID] = ()
    # None too when it was deleted, or its own end is not known here yet.
    original_id: UUID | None = None


def details_of_child(parent: Document, child: Child) -> Details:
    """Whose it is and what was said of the file holds for each part of it."""
    return Details(
        owner_id=parent.owner_id,
        filename=part_name(parent.filename, child.pages),
        priority=Priority(parent.priority),
        said=Said(
            tuple(parent.tags), clean_metadata(json.dumps(parent.metadata)), parent.due_at
        ),
    )


def part_name(filename: str, pages: Sequence[int]) -> str:
    """`scan.pdf` of pages 1 and 2 is `scan p1-2.pdf`; the name says where it comes from."""
    stem, dot, suffix = filename.rpartition(".")
    if not dot or len(suffix) > SUFFIX_CHARS_MAX:
        stem, suffix = filename, ""
    told = f" p{ranges(pages)}{dot if suffix else ''}{suffix}"
    room = max(0, FILENAME_CHARS_MAX - len(told))
    return (stem or "document")[:room] + told[:FILENAME_CHARS_MAX]


def ranges(pages: Sequence[int]) -> str:
    """1, 2, 3 and 7 are `1-3,7`."""
    starts = [0, *(at for at, (one, two) in enumerate(pairwise(pages), 1) if two != one + 1)]
    runs = [pages[a:b] for a, b in pairwise([*starts, len(pages)])]
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
