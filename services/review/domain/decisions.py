"""What may be decided, and what may be taken back.

A decision is a person's word, so repeating it changes nothing and taking it back leaves a
trace. What blocks a document is approved only by somebody who says why.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from services.review.domain.items import (
    OPEN,
    Decision,
    ItemStatus,
    NotAllowed,
    Part,
    ReviewItem,
    StaleVersion,
)
from shared.contracts.extraction import ExtractionV1, Finding
from shared.contracts.identity import derived_id

APPROVED = frozenset({ItemStatus.APPROVED, ItemStatus.CORRECTED})
DECIDED = APPROVED | {ItemStatus.REJECTED}
# Whose pages can be told apart; ingest cuts no other.
DIVISIBLE = frozenset({"application/pdf", "image/tiff"})
DUPLICATE, SPLIT = "duplicate", "split"
# Why an item is open again: its parts could not be made.
SPLIT_FAILED = "split_failed"


@dataclass(frozen=True, slots=True)
class Approval:
    """A person's yes to the item as it was seen. `actor` may be `system`."""

    document_id: UUID
    actor: str
    # The version that was seen.
    version: int
    # Why it is right although something blocks.
    override: str | None = None
    lead: bool = False


@dataclass(frozen=True, slots=True)
class Reopening:
    document_id: UUID
    actor: str
    # The version that was seen.
    version: int
    reason: str
    # The own decision of a moment ago: it needs no right, and the item stays in hand.
    undo: bool = False


@dataclass(frozen=True, slots=True)
class Reextraction:
    """A person gives the document back to be read anew."""

    document_id: UUID
    actor: str
    # The version that was seen.
    version: int
    reason: str
    lead: bool = False
    # By which engine; without one by the usual ones.
    engine: str | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """What stands around an item: the file it was part of, and what was made of its pages."""

    parent_id: UUID | None = None
    parts: Sequence[Part] = ()
    # By the database's clock: the caller decided it a moment ago.
    undo_holds: bool = False
    # Who wrote what stands on its form, as far as people did.
    authors: frozenset[str] = frozenset()

    @property
    def children(self) -> list[UUID]:
        return [one.document_id for one in self.parts]

    def is_split_into(self, pages: Sequence[Sequence[int]]) -> bool:
        return [list(one.pages) for one in self.parts] == [list(one) for one in pages]


class Blocked(NotAllowed):
    """Something stands against approving it. A person may override, with a reason."""

    def __init__(self, item: ReviewItem, blockers: Sequence[Finding]) -> None:
        super().__init__(item, f"{len(blockers)} findings block the approval")
        self.blockers = blockers


class AlreadySplit(NotAllowed):
    def __init__(self, item: ReviewItem) -> None:
        super().__init__(item, "the document was split; its parts are reviewed instead")


class NotDecided(NotAllowed):
    def __init__(self, item: ReviewItem) -> None:
        super().__init__(item, f"the item is {item.status.value}")


class TooLateToUndo(NotAllowed):
    def __init__(self, item: ReviewItem) -> None:
        by = f" by {item.decided_by}" if item.decided_by else ""
        super().__init__(
            item, f"the item was {item.status.value}{by} too long ago to be undone"
        )


class NoSuchEngine(ValueError):
    """Nobody here reads by this name."""

    def __init__(self, engines: Sequence[str]) -> None:
        super().__init__(f"read here by {', '.join(engines)}")


class BadParts(ValueError):
    """The file cannot be split so; `pointer` says where in the request."""

    def __init__(self, pointer: str, detail: str) -> None:
        super().__init__(detail)
        self.pointer = pointer


class UnknownOriginal(LookupError):
    """A duplicate has to name another document of the same owner that has been reviewed."""


def blockers_of(extraction: ExtractionV1) -> list[Finding]:
    """What is required for an approval and absent is among them: the rules find it so."""
    return [one for one in extraction.findings if one.severity == "block"]


def is_settled_as(item: ReviewItem, decision: Decision) -> bool:
    """A second click: the same person has already said the same."""
    if item.decided_by != decision.reviewer:
        return False
    if decision.verdict != "rejected":
        return item.status in APPROVED
    said = (decision.reason_code, decision.duplicate_of)
    return (item.status, item.reason_code, item.duplicate_of) == (ItemStatus.REJECTED, *said)


def is_reopened_by(item: ReviewItem, asked: Reopening) -> bool:
    """A second click: it is open because the same person opened it again."""
    unchanged = item.version == asked.version + 1
    return item.status in OPEN and item.reopened_by == asked.actor and unchanged


def waits_for(item: ReviewItem, asked: Reextraction) -> bool:
    """A second click: it waits because the same person asked for it at this version."""
    unchanged = item.version == asked.version + 1
    return item.reextract_asked_by == asked.actor and item.status in OPEN and unchanged


def check_reopenable(item: ReviewItem, context: Context, asked: Reopening) -> None:
    if item.status not in DECIDED:
        raise NotDecided(item)
    if context.children:
        raise AlreadySplit(item)
    if item.version != asked.version:
        raise StaleVersion(item, asked.version)
    if asked.undo and not context.undo_holds:
        raise TooLateToUndo(item)


def parts_of(
    document_id: UUID, version: int, asked: Sequence[Sequence[int]], extraction: ExtractionV1
) -> list[Part]:
    """The same wish at the same version names the same documents, however often it comes."""
    if extraction.media_type not in DIVISIBLE:
        raise BadParts("/parts", f"{extraction.media_type} is one page")
    seen: set[int] = set()
    for place, pages in enumerate(asked):
        for page in pages:
            if not 1 <= page <= extraction.page_count:
                count = extraction.page_count
                raise BadParts(f"/parts/{place}/pages", f"the file has {count} pages")
            if page in seen:
                raise BadParts(f"/parts/{place}/pages", f"page {page} is named twice")
            seen.add(page)
    return [
        Part(derived_id(document_id, f"split.{place}", version), pages)
        for place, pages in enumerate(asked)
    ]


def replaces_approval(item: ReviewItem) -> bool:
    """Storage shows what was approved before this rejection, and has to hear of it."""
    was_approved = item.revision > 1 and item.reviewed_key is not None
    return item.status is ItemStatus.REJECTED and was_approved
