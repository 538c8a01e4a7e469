"""A day of acceptance: what it shows, what its manifest says, what its compacted file holds."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from services.storage.domain.layout import Layout, compacted_key

MANIFEST_VERSION = 1
FIRST_ID = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Place:
    """In the order of a day's file: by date of issue, seller, document."""

    issue_date: date = date.min
    seller: str = ""
    document_id: UUID = FIRST_ID


@dataclass(frozen=True, slots=True)
class Shown:
    """A document as its day shows it: committed, and published."""

    document_id: UUID
    version: int
    accepted_at: datetime
    # None until somebody has measured what was written before files were.
    size: int | None
    sha256: str | None
    json_key: str
    parquet_key: str
    issue_date: date
    seller: str

    @property
    def place(self) -> Place:
        return Place(self.issue_date, self.seller, self.document_id)


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    # Counts the changes of what the day shows.
    revision: int
    documents: int
    manifest_revision: int
    manifest_compacted: bool
    compacted_revision: int | None
    compacted_size: int | None
    compacted_sha256: str | None
    compacted_rows: int | None
    # Something has changed that is not counted yet.
    is_changing: bool

    @property
    def is_compacted(self) -> bool:
        """The compacted file holds what the day shows, neither more nor less."""
        whole = self.compacted_revision == self.revision and not self.is_changing
        return whole and bool(self.compacted_rows)

    @property
    def is_stale(self) -> bool:
        """Its manifest does not say what there is."""
        told = (self.manifest_revision, self.manifest_compacted)
        return told != (self.revision, self.is_compacted)


@dataclass(frozen=True, slots=True)
class Measured:
    size: int
    sha256: str
    rows: int


def manifest_head(day: Day) -> str:
    """The first line of a manifest; one line per document follows, then its tail."""
    head = {
        "manifest_version": MANIFEST_VERSION,
        "day": day.day.isoformat(),
        "revision": day.revision,
        "compacted": _compacted(day),
    }
    return json.dumps(head)[:-1] + ',\n"documents": [\n'


def _compacted(day: Day) -> dict[str, object] | None:
    if not day.is_compacted:
        return None
    return {
        "key": compacted_key(day.day),
        "size": day.compacted_size,
        "sha256": day.compacted_sha256,
        "rows": day.compacted_rows,
    }


def manifest_line(one: Shown, layout: Layout) -> str:
    """`key` and `json_key` are the immutable pair of the version, the digest is that of `key`;
    `path` and `json` are where the current version lies."""
    return json.dumps(
        {
            "document_id": str(one.document_id),
            "version": one.version,
            "key": layout.version_key(one.document_id, one.version, "parquet"),
            "size": one.size,
            "sha256": one.sha256,
            "json_key": layout.version_key(one.document_id, one.version, "json"),
            "path": one.parquet_key,
            "json": one.json_key,
        }
    )


def manifest_tail(files: Iterable[str]) -> Iterator[str]:
    yield '\n],\n"files": [\n'
    first = True
    for key in files:
        yield ("" if first else ",\n") + json.dumps(key)
        first = False
    yield "\n]}\n"
