"""Where the files of a document lie: by the templates of the configuration in force.

Keys are pure functions of a document and its version, so that whoever writes a result again
writes to the same place. Days are days of acceptance, in UTC.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from string import Formatter
from typing import Literal
from uuid import UUID

from shared.configuration.processing import VERSION_PLACE, Output

Compression = Literal["none", "snappy", "zstd", "gzip"]
SUFFIXES = ("json", "parquet")
COMPACTED = "data/compacted"
MANIFESTS = "data/manifests"
# In place of a version: a dated path shows whichever is current.
DATED = 0
_ID = r"(?P<document_id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
_DIRECTIVE = re.compile(r"%[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Layout:
    json: str = "data/json/{accepted_at:%Y/%m/%d}/{document_id}.json"
    parquet: str = "data/parquet/{accepted_at:%Y/%m/%d}/{document_id}.parquet"
    version: str = VERSION_PLACE
    compression: Compression = "zstd"

    def dated_key(self, document_id: UUID, accepted_at: datetime, suffix: str) -> str:
        """Where an analyst looks: the current version only."""
        template = self.json if suffix == "json" else self.parquet
        day = accepted_at.astimezone(UTC)
        return template.format(document_id=document_id, accepted_at=day)

    def version_key(self, document_id: UUID, version: int, suffix: str) -> str:
        """Immutable: written before the commit that names it, never again with other bytes."""
        key = self.version.format(document_id=document_id, version=f"v{version}")
        return f"{key.removesuffix('json')}{suffix}"

    def versions_prefix(self, document_id: UUID) -> str:
        return f"{self.all_versions}{document_id}/"

    @property
    def all_versions(self) -> str:
        return self.version.removesuffix("{document_id}/{version}.json")

    @property
    def all_dated(self) -> tuple[str, ...]:
        """Below these lie all files under dated paths, and perhaps others."""
        fixed = (template.partition("{")[0] for template in (self.json, self.parquet))
        # Up to the last slash, and everything when there is none before the first part.
        return tuple(one[: one.rfind("/") + 1] for one in fixed)

    def dated_of(self, key: str) -> tuple[UUID, int] | None:
        """The same of a dated path."""
        for template in (self.json, self.parquet):
            if found := re.fullmatch(_pattern(template), key):
                return UUID(found["document_id"]), DATED
        return None

    def version_of(self, key: str) -> tuple[UUID, int] | None:
        """Whose file this is; None for one that nobody of us has written."""
        try:
            document_id, name = key.removeprefix(self.all_versions).split("/")
            version, suffix = name.removeprefix("v").split(".")
            identity = UUID(document_id), int(version)
        except ValueError:
            return None
        return identity if self.version_key(*identity, suffix) == key else None


def _pattern(template: str) -> str:
    """What its keys look like; the day may be said in any way, of which we know the length."""
    pattern = ""
    for literal, field, told, _ in Formatter().parse(template):
        pattern += re.escape(literal)
        if field == "document_id":
            pattern += _ID if _ID not in pattern else "(?P=document_id)"
        elif field:
            pattern += _DIRECTIVE.sub("[0-9A-Za-z]+", re.escape(told or ""))
    return pattern


DEFAULT = Layout()


def layout_of(output: Output) -> Layout:
    paths = output.paths
    return Layout(paths["json"], paths["parquet"], paths["version"], output.compression)


def day_of(moment: datetime) -> date:
    return moment.astimezone(UTC).date()


def compacted_key(day: date) -> str:
    return f"{COMPACTED}/date={day:%Y-%m-%d}/invoices.parquet"


def manifest_key(day: date) -> str:
    return f"{MANIFESTS}/{day:%Y/%m/%d}.json"
