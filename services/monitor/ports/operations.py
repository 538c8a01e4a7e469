"""What operations over many letters need from the outside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from services.monitor.domain.letters import DeadLetter
from services.monitor.domain.operations import (
    Found,
    Item,
    ItemOutcome,
    Kind,
    Operation,
    OperationState,
    Selection,
    Turn,
    Wish,
)
from shared.ledger.port import Unit


@dataclass(frozen=True, slots=True)
class Asked:
    """Where a page of operations ended: the next one begins with what was asked before."""

    requested_at: datetime
    operation_id: UUID


class Operations(Protocol):
    async def count_selected(self, kind: Kind, which: Selection, days: int) -> list[Found]:
        """What is older than so many days cannot be sent back."""
        ...

    async def sample_selected(
        self, kind: Kind, which: Selection, limit: int
    ) -> list[DeadLetter]: ...

    async def lock_requests(self, unit: Unit) -> None:
        """Until the commit nobody else asks for an operation."""
        ...

    async def find_keyed(self, unit: Unit, requested_by: str, key: str) -> Operation | None: ...

    async def find_overlap(self, unit: Unit, kind: Kind, which: Selection) -> UUID | None:
        """An active operation that has, or will have, one of these letters."""
        ...

    async def insert_operation(self, unit: Unit, wish: Wish) -> Operation: ...

    async def find_operation(self, operation_id: UUID) -> Operation | None: ...

    async def list_operations(
        self, *, state: OperationState | None, after: Asked | None, limit: int
    ) -> list[Operation]:
        """Latest first."""
        ...

    async def list_items(
        self, operation_id: UUID, *, outcome: ItemOutcome | None, after: int, limit: int
    ) -> list[Item]:
        """In their order, those behind position `after`."""
        ...

    async def lock_operation(self, unit: Unit, operation_id: UUID) -> Operation | None:
        """As it stays until the commit."""
        ...

    async def turn_operation(self, unit: Unit, operation: Operation) -> Operation:
        """Keep its state, rate and the like as they are given here, as one more version."""
        ...

    async def is_any_moving(self) -> bool:
        """A glance without a lock: most of the time there is none."""
        ...

    async def take_turn(self, unit: Unit) -> Turn | None:
        """The moving operation that has been due for longest and is in nobody's hands."""
        ...

    async def prepare_items(self, unit: Unit, operation: Operation, limit: int) -> None:
        """Write down the next letters of its selection; with the last of them it runs."""
        ...

    async def claim_items(
        self, unit: Unit, operation: Operation, limit: int, days: int
    ) -> list[tuple[DeadLetter, bytes]]:
        """Its next letters, now replaying, each under a replay of its own. What is not open
        any more, or older than so many days, is skipped."""
        ...

    async def apply_items(self, unit: Unit, operation: Operation, limit: int) -> None:
        """Archive, take back out, or purge its next letters."""
        ...

    async def note_step(self, unit: Unit, turn: Turn, spent: int) -> Operation:
        """What is left of its allowance is kept, and it ends when all its letters have."""
        ...

    async def note_failure(
        self, unit: Unit, operation_id: UUID, *, error: str, failures_max: int
    ) -> Operation | None:
        """It waits before its next step, longer each time, and pauses after so many. None when
        it stands still by now."""
        ...

    async def settle_items(self, unit: Unit, outcomes: Mapping[UUID, str]) -> None:
        """By the id of the replay. What was settled before stays as it is."""
        ...

    async def hold_operations(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        """Those that have letters of these documents stand still until the commit."""
        ...
