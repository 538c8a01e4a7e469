"""What was measured: of each kind of document, by `./paperline bench sizing`.

Kept in `measured.json` beside this module, so that the page and the calculator say where their
numbers come from, and a newer measurement changes both.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("measured.json")
SERVICES = ("ingest", "extractor", "storage", "review", "monitor")


@dataclass(frozen=True, slots=True)
class PerDocument:
    """On average, once the process is warm."""

    # Of each service with its children, and of the servers.
    cpu_s: Mapping[str, float]
    # Rows and indexes, as `schema.table`.
    tables: Mapping[str, float]
    # By the first words of their key; without the scan itself.
    objects: Mapping[str, float]
    scan_bytes: float
    wal_bytes: float
    messages: float
    message_bytes: float
    # A fact is copied to each queue that wants it.
    queued: float

    @property
    def inbox_bytes(self) -> float:
        return sum(size for name, size in self.tables.items() if name.endswith(".inbox"))

    @property
    def database_bytes(self) -> float:
        return sum(self.tables.values())

    @property
    def object_bytes(self) -> float:
        return sum(self.objects.values())


@dataclass(frozen=True, slots=True)
class Figures:
    kinds: Mapping[str, PerDocument]
    resident_bytes: Mapping[str, int]
    connections: Mapping[str, int]
    # Of one picture of a page; the desk keeps those that somebody looked at.
    page_bytes: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def from_json(told: Mapping[str, Any]) -> Figures:
    kinds = {name: PerDocument(**one) for name, one in told["kinds"].items()}
    return Figures(**{**told, "kinds": kinds})


@cache
def measured() -> Figures:
    return from_json(json.loads(FILE.read_text()))


def adopt(file: Path) -> Figures:
    """What a benchmark has written, kept for everybody; rounded, for it is no more exact."""
    told = json.loads(file.read_text())
    FILE.write_text(json.dumps(_rounded(told["figures"]), indent=1, sort_keys=True) + "\n")
    measured.cache_clear()
    return measured()


def _rounded(part: object) -> object:
    match part:
        case float():
            return float(f"{part:.3g}")
        case dict():
            return {name: _rounded(one) for name, one in part.items()}
    return part
