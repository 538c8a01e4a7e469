"""What a stored result is: which version, and in which shape.

Bytes are a pure function of the extraction and its version: whoever writes a result
again, after a crash or beside somebody else, writes the same bytes to the same place. The
first version is the machine's; the one a reviewer decided at revision n over the machine's
version m is m + n, so decisions that arrive in the wrong order still count in the right one.
A document that is read anew gets the next free number, and once that is kept, what rests on
the reading before is never current again. Of two readings for the place of one version each is
one of its own.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from shared.contracts.extraction import ExtractionV1
from shared.contracts.orders import FinaliseDocumentV1, StoreDocumentV1, Verdict

MACHINE_VERSION = 1
ResultOrder = StoreDocumentV1 | FinaliseDocumentV1


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a version comes from, which is its identity before it has a number: a reading by
    what was read and which version it is to replace, a decision by what it judged."""

    document_id: UUID
    # The machine's version that a person judged, and the how manieth decision it was.
    reading: int = MACHINE_VERSION
    review_revision: int = 0
    # Of the machine's: the version that it replaces.
    replaces: int = 0
    # Of the machine's: where what was read lies, which says what it is.
    extraction_key: str = ""


@dataclass(frozen=True, slots=True)
class Number:
    version: int = MACHINE_VERSION
    reading: int = MACHINE_VERSION


FIRST = Number()


@dataclass(frozen=True, slots=True)
class Shown:
    """The version of a document that counts."""

    version: int
    reading: int
    review_revision: int = 0

    @property
    def rank(self) -> tuple[int, int]:
        """Whatever comes in which order: the last decision over the last reading."""
        return self.reading, self.review_revision


@dataclass(frozen=True, slots=True)
class Result:
    """One version of a document's result, with who decided it when it was a person."""

    extraction: ExtractionV1
    number: Number = FIRST
    review_revision: int = 0
    verdict: Verdict | None = None
    reviewer: str | None = None

    @property
    def version(self) -> int:
        return self.number.version

    @property
    def identity(self) -> tuple[UUID, int]:
        return self.extraction.document_id, self.version

    @property
    def is_copy(self) -> bool:
        """Read from the kept answer to another document, and looked at by nobody since."""
        return self.extraction.cache_hit and not self.review_revision


@dataclass(frozen=True, slots=True)
class Table:
    """What a version's Parquet file measures, and by what its row is sorted."""

    size: int
    sha256: str
    issue_date: date | None
    seller: str


@dataclass(frozen=True, slots=True)
class Files:
    """What a version was written as: the digest of its JSON, and its Parquet file."""

    result_sha256: str
    table: Table


@dataclass(frozen=True, slots=True)
class StoredResult:
    """The row of one version. Without files of its own, the result is the extraction."""

    document_id: UUID
    version: int
    owner_id: str
    accepted_at: datetime
    extraction_key: str
    result_key: str
    has_files: bool
    verdict: Verdict | None = None
    # Which of two versions is current is told by these, in this order.
    reading: int = MACHINE_VERSION
    review_revision: int = 0
    # Of its JSON, as it was written.
    result_sha256: str | None = None
    table: Table | None = None

    @property
    def as_shown(self) -> Shown:
        return Shown(self.version, self.reading, self.review_revision)


@dataclass(frozen=True, slots=True)
class Unpublished:
    """A document whose dated paths do not show its current version yet."""

    document_id: UUID
    version: int
    accepted_at: datetime
    # Where they have been until now: the templates may have changed since.
    json_key: str | None = None
    parquet_key: str | None = None


@dataclass(frozen=True, slots=True)
class Published:
    """Where the current version of a document lies now."""

    document_id: UUID
    json_key: str
    parquet_key: str

    @property
    def keys(self) -> tuple[str, str]:
        return self.json_key, self.parquet_key


def origin_of(order: ResultOrder) -> Origin:
    if isinstance(order, StoreDocumentV1):
        return Origin(
            order.document_id,
            replaces=order.replaces_version,
            extraction_key=order.extraction_key,
        )
    return Origin(order.document_id, order.result_version, order.review_revision)


def result_of(order: ResultOrder, extraction: ExtractionV1, number: Number) -> Result:
    if isinstance(order, StoreDocumentV1):
        return Result(extraction, number)
    revision = order.review_revision
    return Result(extraction, number, revision, order.verdict, order.reviewer)


def is_overtaken(row: StoredResult, shown: Shown | None) -> bool:
    """A reading that is to count and has a lower number than what it outdoes: whoever goes by
    numbers would never see it. Of two decisions over one reading the later may be the lower."""
    if shown is None or row.review_revision:
        return False
    return shown.version > row.version and shown.rank < row.as_shown.rank


def shown_with(
    rows: Iterable[StoredResult], shown: Mapping[UUID, Shown]
) -> Mapping[UUID, Shown]:
    """What counts once these are kept."""
    found = dict(shown)
    for row in rows:
        before = found.get(row.document_id)
        if before is None or before.rank < row.as_shown.rank:
            found[row.document_id] = row.as_shown
    return found


def json_of(result: Result) -> bytes:
    """The extraction, readable by whoever reads extractions, with its version on top."""
    head = {
        "version": result.version,
        "verdict": result.verdict,
        "reviewer": result.reviewer,
    }
    lines = [f"  {json.dumps(name)}: {json.dumps(value)},\n" for name, value in head.items()]
    # Written by the model itself: a dictionary in between costs ten times as much.
    content = result.extraction.model_dump_json(indent=2).removeprefix("{\n")
    return f"{{\n{''.join(lines)}{content}\n".encode()
