"""What the handlers of the monitor need from the outside."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from services.monitor.domain.letters import DeadLetter, LetterState, NewLetter
from services.monitor.domain.levels import TERMS, Terms
from services.monitor.domain.overview import OpenLetters, Pause, QueueState
from services.monitor.domain.processes import ProcessReport
from services.monitor.domain.replays import Replay
from services.monitor.ports.duties import Conserved, Duties, Numbers, Snapshots
from services.monitor.ports.facts import Facts, Logs
from services.monitor.ports.groups import Groups
from services.monitor.ports.operations import Operations
from shared.audit.chain import Entry
from shared.clock import Clock
from shared.ledger.port import Ledger, Unit


@dataclass(frozen=True, slots=True)
class Filter:
    """Which letters; None asks for any."""

    queue: str | None = None
    reason: str | None = None
    state: LetterState | None = None
    document_id: UUID | None = None
    fingerprint: str | None = None
    category: str | None = None
    type: str | None = None
    owner_id: str | None = None
    arrived_after: datetime | None = None
    arrived_before: datetime | None = None
    # Which all stand in what went wrong.
    words: str | None = None
    # Of the letter, of its job, or of its document.
    any_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page of letters ended: the next one begins with what arrived before it."""

    arrived_at: datetime
    letter_id: UUID


class Letters(Protocol):
    async def keep_letters(self, unit: Unit, letters: Sequence[NewLetter]) -> set[UUID]:
        """The ids of those that were not kept already."""
        ...

    async def claim_letter(
        self, unit: Unit, *, letter_id: UUID, replay_id: UUID, days: int
    ) -> tuple[DeadLetter, bytes] | None:
        """From open to replaying, with its bytes. None when it was not there to claim, or its
        job is older than so many days."""
        ...

    async def supersede_letter(
        self, unit: Unit, *, letter_id: UUID, version: int, job_id: UUID, replay_id: UUID
    ) -> DeadLetter | None:
        """From open to superseded by that job. None when it is not the one that was seen."""
        ...

    async def settle_letters(self, unit: Unit, outcomes: Mapping[UUID, str]) -> None:
        """By the id of the replay. A letter settled before stays as it is."""
        ...

    async def erase_letters(self, unit: Unit, document_ids: Sequence[UUID]) -> set[UUID]:
        """Whatever their state, and their replays with them; not what an erasing needs to end.
        The ids of the letters."""
        ...

    async def forget_letters(self, days: int, limit: int) -> int:
        """Some of those that were settled so long ago, with their replays."""
        ...

    async def find_letter(self, letter_id: UUID) -> DeadLetter | None: ...

    async def read_body(self, unit: Unit, letter_id: UUID) -> bytes | None: ...

    async def list_letters(
        self, which: Filter, *, after: Place | None, limit: int
    ) -> list[DeadLetter]:
        """Latest arrival first."""
        ...

    async def count_open_letters(self) -> list[OpenLetters]: ...


class Replays(Protocol):
    async def insert_replay(
        self, unit: Unit, letter: DeadLetter, *, requested_by: str, reason: str
    ) -> Replay:
        """Of a letter just claimed: under the replay id the letter now carries."""
        ...

    async def settle_replays(self, unit: Unit, outcomes: Mapping[UUID, str]) -> list[Replay]:
        """Those that were still running."""
        ...

    async def find_replay(self, replay_id: UUID) -> Replay | None: ...

    async def count_running_replays(self) -> int: ...


class Documents(Protocol):
    async def lock_documents(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        """First of all in the unit: who keeps their letters and who erases them take turns."""
        ...

    async def find_deleted(self, unit: Unit, document_ids: Sequence[UUID]) -> set[UUID]: ...

    async def count_documents(self) -> dict[str, int]: ...

    async def measure_stages(self) -> dict[str, float]:
        """For how many seconds the oldest document has been standing in each stage."""
        ...


@dataclass(frozen=True, slots=True)
class PauseNote:
    queue: str
    reason: str
    paused: bool
    # The fact that said so: time-ordered, so that the later of two facts is the one believed.
    told_by: UUID
    detail: str = ""
    ends_at: datetime | None = None


class Pauses(Protocol):
    async def note_pauses(self, unit: Unit, notes: Sequence[PauseNote]) -> None: ...

    async def list_pauses(self) -> list[Pause]: ...


class Processes(Protocol):
    async def note_processes(self, unit: Unit, reports: Sequence[ProcessReport]) -> None:
        """What each said last, whatever comes last."""
        ...

    async def list_processes(self, silent_s_max: float) -> list[ProcessReport]: ...

    async def forget_processes(self, silent_s_min: float) -> None: ...


class Broker(Protocol):
    async def list_queues(self) -> list[QueueState] | None:
        """Raises Retryable when nobody answers."""
        ...


class Trail(Protocol):
    async def record(self, unit: Unit, *entries: Entry) -> None:
        """Last in the unit: writers of the log take turns until they commit."""
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    # What one operation may take, and how fast it may send back.
    operation_letters_max: int = 1_000_000
    replay_rate_max: float = 5_000
    # Letters in one transaction: a step is short, so that cancelling never waits for long.
    replay_batch: int = 500
    prepare_batch: int = 5_000
    apply_batch: int = 2_000
    # In a row, until an operation waits for a person.
    step_failures_max: int = 8
    # For so long a letter can be replayed, and is kept once it is settled.
    letters_kept_days: int = 30
    metrics_kept_days: int = 90
    facts_kept_days: int = 45


@dataclass(frozen=True, slots=True)
class Ports:
    letters: Letters
    replays: Replays
    operations: Operations
    groups: Groups
    documents: Documents
    pauses: Pauses
    processes: Processes
    facts: Facts
    logs: Logs
    duties: Duties
    numbers: Numbers
    conserved: Conserved
    snapshots: Snapshots
    broker: Broker
    trail: Trail
    ledger: Ledger
    clock: Clock
    limits: Limits = Limits()
    terms: Terms = TERMS
    # An operation may be due by now: whoever steps them need not wait for the next look.
    wake: Callable[[], object] = lambda: None
