"""What manifests, compaction and collecting need from the outside."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Protocol
from uuid import UUID

from services.storage.domain.days import Day, Measured, Place, Shown
from services.storage.domain.layout import Layout
from services.storage.domain.results import Table
from shared.blobs.port import Blobs
from shared.clock import Clock
from shared.ledger.port import Ledger, Unit


class Days(Protocol):
    async def try_turn(self, unit: Unit, name: str) -> bool:
        """Until the unit ends nobody else gets it. False: somebody has it."""
        ...

    async def keep_alive(self, unit: Unit) -> None:
        """Raises Retryable when the unit was ended meanwhile."""
        ...

    async def is_any_behind(self, unit: Unit) -> bool:
        """Whether there is anything to fold, or a manifest that does not say what there is."""
        ...

    async def fold_changes(self, unit: Unit) -> None:
        """What was appended by those who changed a day becomes revisions of their days."""
        ...

    async def list_stale_days(self, unit: Unit, debounce_s: float, limit: int) -> list[date]:
        """Whose manifest is behind, and may be written now."""
        ...

    async def freeze_view(self, unit: Unit) -> None:
        """The first word in a unit: what it reads from here on is of one moment."""
        ...

    async def find_day(self, unit: Unit, day: date) -> Day: ...

    async def lock_day(self, unit: Unit, day: date) -> Day:
        """Nobody counts a change of it until the unit ends."""
        ...

    async def list_shown(
        self, unit: Unit, day: date, behind: Place, limit: int
    ) -> list[Shown]: ...

    async def lock_unchanged(
        self, unit: Unit, documents: Sequence[tuple[UUID, int]]
    ) -> set[UUID]:
        """Those that still show this version; until the unit ends they go on doing so."""
        ...

    async def note_manifest(self, unit: Unit, day: Day, documents: int) -> None: ...

    async def forget_manifest(self, unit: Unit, day: date) -> None:
        """Nobody knows what the manifest says: it has to be written anew."""
        ...

    async def list_compactable(
        self, unit: Unit, closed_before: date, quiet_s: float, limit: int
    ) -> list[date]:
        """What was erased first, then the oldest; one that failed, not before tomorrow."""
        ...

    async def note_compacted(self, unit: Unit, day: Day, file: Measured) -> None: ...

    async def note_not_compacted(self, unit: Unit, day: Day) -> None:
        """As it is now it has no compacted file: one of its own files cannot be read."""
        ...

    async def forget_compacted(self, unit: Unit, day: date) -> None:
        """Nobody knows what the compacted file holds: it has to be made anew."""
        ...

    async def list_prunable(
        self, unit: Unit, older_than_days: int, limit: int
    ) -> list[date]: ...

    async def note_pruned(self, unit: Unit, day: date) -> None: ...


@dataclass(frozen=True, slots=True)
class Stray:
    key: str
    # Its version was committed after it was seen.
    is_kept: bool


class Leftovers(Protocol):
    """What was written before it was measured, and what was written and never committed; and
    what is done by replicas that know of no days."""

    async def begin_round(self, unit: Unit, name: str, every_s: float) -> bool:
        """True for one caller within the period."""
        ...

    async def show_published(self, unit: Unit, limit: int) -> int:
        """What they publish is shown by its day; how much of it there was."""
        ...

    async def forget_erased(self, unit: Unit, limit: int) -> int:
        """What they erase is shown no more; how much of it there was."""
        ...

    async def list_unmeasured(self, unit: Unit, limit: int) -> list[tuple[UUID, int]]: ...

    async def note_measured(
        self, unit: Unit, measured: Sequence[tuple[UUID, int, Table]]
    ) -> None: ...

    async def note_strays(
        self, unit: Unit, files: Sequence[tuple[str, tuple[UUID, int]]]
    ) -> None:
        """Those of them whose version has no row."""
        ...

    async def take_strays(self, unit: Unit, older_than_s: float, limit: int) -> list[Stray]:
        """No strays any more; until the unit ends nobody writes these documents anew."""
        ...


class MergedFile(Protocol):
    async def append(self, files: Sequence[bytes]) -> None:
        """The rows of these files, in this order."""
        ...

    async def finish(self) -> Measured: ...


class Merger(Protocol):
    """Many small files as one large one, in memory that does not grow with their number."""

    def merged(self, path: Path) -> AbstractAsyncContextManager[MergedFile]: ...

    async def measure(self, file: bytes) -> Table: ...


@dataclass(frozen=True, slots=True)
class Pace:
    """When the background work is done, and how much of the time it may take."""

    manifest_debounce_s: float
    compact_after_s: float
    compact_quiet_s: float
    compact_share: float
    prune_after_days: int | None
    stray_after_s: float


@dataclass(frozen=True, slots=True)
class DayPorts:
    blobs: Blobs
    days: Days
    leftovers: Leftovers
    merger: Merger
    ledger: Ledger
    clock: Clock
    layout: Layout
    scratch: Path
    pace: Pace
