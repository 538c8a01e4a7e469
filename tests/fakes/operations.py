"""Operations over the letters of `tests/fakes/monitor.py`, in memory.

They keep what a selection found as a whole at once, and know nothing of transactions: tests of
a step that is cut off belong to the real tables.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from uuid import UUID

from services.monitor.domain.letters import DeadLetter
from services.monitor.domain.operations import (
    ACTIVE,
    MOVING,
    STATES_OF,
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
from services.monitor.ports.operations import Asked
from shared.contracts.identity import new_id
from shared.ledger.port import Unit
from tests.fakes.clock import FakeClock
from tests.fakes.monitor import InMemoryLetters, InMemoryReplays
from tests.fakes.selections import found_by, is_on_its_way, is_selected, why_skipped

SETTLED = ("done", "already_applied", "withdrawn", "refailed")


@dataclass(slots=True)
class _Kept:
    operation: Operation
    selection: Selection
    key: str
    items: list[Item] = field(default_factory=list)
    due: bool = True

    def waiting(self, limit: int) -> list[Item]:
        return [one for one in self.items if one.outcome is ItemOutcome.WAITING][:limit]

    def put(self, item: Item) -> None:
        self.items[item.position - 1] = item
        counts = Counter(one.outcome.value for one in self.items)
        ended = {name: counts[name] for name in (*SETTLED, "skipped", "applied")}
        sent = counts["sent"] + sum(counts[name] for name in SETTLED)
        self.change(**ended, sent=sent)

    def change(self, **values: object) -> None:
        # What is changed stands in the caller; mypy cannot know the names of a dict.
        self.due = True
        seq = self.operation.seq + 1
        self.operation = replace(self.operation, **values, seq=seq)  # type: ignore[arg-type]


class InMemoryOperations:
    def __init__(
        self, letters: InMemoryLetters, replays: InMemoryReplays, clock: FakeClock
    ) -> None:
        self.kept: dict[UUID, _Kept] = {}
        self._letters = letters
        self._replays = replays
        self._clock = clock

    async def count_selected(self, kind: Kind, which: Selection, days: int) -> list[Found]:
        return found_by(self._selected(kind, which), self._clock.now(), days)

    async def sample_selected(
        self, kind: Kind, which: Selection, limit: int
    ) -> list[DeadLetter]:
        return self._selected(kind, which)[::-1][:limit]

    async def lock_requests(self, unit: Unit) -> None:
        return None

    async def find_keyed(self, unit: Unit, requested_by: str, key: str) -> Operation | None:
        wanted = (requested_by, key)
        since = self._clock.now() - timedelta(days=1)
        found = [
            one.operation
            for one in self._all()
            if (one.operation.requested_by, one.key) == wanted
            and one.operation.requested_at > since
        ]
        return found[-1] if found else None

    async def find_overlap(self, unit: Unit, kind: Kind, which: Selection) -> UUID | None:
        wanted = {one.letter_id for one in self._selected(kind, which)}
        for one in self._all():
            operation = one.operation
            theirs = {item.letter_id for item in one.waiting(len(one.items))}
            if not operation.prepared:
                theirs = {
                    letter.letter_id for letter in self._selected(operation.kind, one.selection)
                }
            if operation.state in ACTIVE and wanted & theirs:
                return operation.operation_id
        return None

    async def insert_operation(self, unit: Unit, wish: Wish) -> Operation:
        operation = Operation(
            operation_id=new_id(),
            kind=wish.kind,
            state=OperationState.PREPARING,
            selector=wish.selection.told(),
            arrived_before=wish.selection.arrived_before,
            reason=wish.reason,
            requested_by=wish.requested_by,
            request_digest=wish.digest,
            letters_max=wish.letters_max,
            rate_per_s=wish.pace.rate_per_s,
            in_flight_max=wish.pace.in_flight_max,
            canary=wish.pace.canary,
            paused_because=None,
            failures=0,
            error=None,
            error_at=None,
            prepared=False,
            prepared_at=None,
            prepared_id=None,
            **dict.fromkeys(("total", "sent", *SETTLED, "skipped", "applied"), 0),
            version=1,
            seq=1,
            requested_at=self._clock.now(),
            started_at=None,
            ended_at=None,
        )
        self.kept[operation.operation_id] = _Kept(operation, wish.selection, wish.key)
        return operation

    async def find_operation(self, operation_id: UUID) -> Operation | None:
        kept = self.kept.get(operation_id)
        return kept.operation if kept else None

    async def list_operations(
        self, *, state: OperationState | None, after: Asked | None, limit: int
    ) -> list[Operation]:
        found = [one.operation for one in self._all() if state in (None, one.operation.state)]
        found.sort(key=_place, reverse=True)
        start = (after.requested_at, after.operation_id) if after else None
        return [one for one in found if start is None or _place(one) < start][:limit]

    async def list_items(
        self, operation_id: UUID, *, outcome: ItemOutcome | None, after: int, limit: int
    ) -> list[Item]:
        items = self.kept[operation_id].items[after:]
        return [one for one in items if outcome in (None, one.outcome)][:limit]

    async def lock_operation(self, unit: Unit, operation_id: UUID) -> Operation | None:
        return await self.find_operation(operation_id)

    async def turn_operation(self, unit: Unit, operation: Operation) -> Operation:
        kept = self.kept[operation.operation_id]
        kept.operation = operation
        ended = self._clock.now() if operation.state is OperationState.CANCELLED else None
        kept.change(version=operation.version + 1, ended_at=ended, failures=0)
        return kept.operation

    async def is_any_moving(self) -> bool:
        return any(one.operation.state in MOVING for one in self._all())

    async def take_turn(self, unit: Unit) -> Turn | None:
        for one in self._all():
            if one.operation.state in MOVING and one.due:
                return Turn(one.operation, one.operation.rate_per_s)
        return None

    async def prepare_items(self, unit: Unit, operation: Operation, limit: int) -> None:
        kept = self.kept[operation.operation_id]
        found = self._selected(operation.kind, kept.selection)[: operation.letters_max]
        kept.items = [
            Item(place, letter.letter_id, ItemOutcome.WAITING, None, None, None)
            for place, letter in enumerate(found, start=1)
        ]
        kept.change(
            total=len(found),
            prepared=True,
            state=OperationState.RUNNING,
            started_at=self._clock.now(),
        )

    async def claim_items(
        self, unit: Unit, operation: Operation, limit: int, days: int
    ) -> list[tuple[DeadLetter, bytes]]:
        kept, claimed = self.kept[operation.operation_id], []
        for item in kept.waiting(limit):
            replay_id = new_id()
            found = await self._letters.claim_letter(
                unit, letter_id=item.letter_id, replay_id=replay_id, days=days
            )
            if found is None:
                await self._skip(kept, item)
                continue
            claimed.append(found)
            kept.put(replace(item, outcome=ItemOutcome.SENT, replay_id=replay_id))
            await self._replays.insert_replay(
                unit,
                found[0],
                requested_by=operation.requested_by,
                reason=operation.reason,
            )
        return sorted(claimed, key=lambda one: -one[0].priority)

    async def apply_items(self, unit: Unit, operation: Operation, limit: int) -> None:
        kept = self.kept[operation.operation_id]
        for item in kept.waiting(limit):
            letter = await self._letters.find_letter(item.letter_id)
            if letter is None or letter.state not in STATES_OF[operation.kind]:
                await self._skip(kept, item)
                continue
            if operation.kind is Kind.PURGE and is_on_its_way(letter):
                await self._skip(kept, item, "replay_running")
                continue
            self._letters.move(letter, operation.kind)
            now = self._clock.now()
            kept.put(replace(item, outcome=ItemOutcome.APPLIED, settled_at=now))

    async def note_step(self, unit: Unit, turn: Turn, spent: int) -> Operation:
        kept = self.kept[turn.operation.operation_id]
        now = replace(kept.operation, failures=0, error=None, error_at=None)
        kept.operation, kept.due = now, spent > 0
        if now.taken >= now.total and now.in_flight == 0:
            kept.change(state=OperationState.COMPLETED, ended_at=self._clock.now())
        elif now.taken < now.total and 0 < now.canary <= now.taken:
            kept.change(state=OperationState.PAUSED, paused_because="canary")
        return kept.operation

    async def note_failure(
        self, unit: Unit, operation_id: UUID, *, error: str, failures_max: int
    ) -> Operation | None:
        kept = self.kept[operation_id]
        failures = kept.operation.failures + 1
        kept.change(failures=failures, error=error, error_at=self._clock.now())
        if failures >= failures_max:
            version = kept.operation.version + 1
            kept.change(state=OperationState.PAUSED, paused_because="failing", version=version)
        kept.due = False
        return kept.operation

    async def settle_items(self, unit: Unit, outcomes: Mapping[UUID, str]) -> None:
        for kept in self._all():
            for item in kept.items:
                outcome = outcomes.get(item.replay_id) if item.replay_id else None
                if outcome and item.outcome is ItemOutcome.SENT:
                    now = self._clock.now()
                    ended = replace(item, outcome=ItemOutcome(outcome), settled_at=now)
                    kept.put(ended)

    async def hold_operations(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        pass

    def replay_of(self, letter_id: str) -> UUID:
        """Under which a letter is on its way."""
        [replay_id] = [
            item.replay_id
            for kept in self._all()
            for item in kept.items
            if str(item.letter_id) == letter_id and item.replay_id
        ]
        return replay_id

    async def _skip(self, kept: _Kept, item: Item, why: str | None = None) -> None:
        letter = await self._letters.find_letter(item.letter_id)
        kept.put(
            replace(
                item,
                outcome=ItemOutcome.SKIPPED,
                detail=why or why_skipped(letter),
                settled_at=self._clock.now(),
            )
        )

    def _all(self) -> list[_Kept]:
        return list(self.kept.values())

    def _selected(self, kind: Kind, which: Selection) -> list[DeadLetter]:
        found = [
            one
            for one in self._letters.all
            if one.state in STATES_OF[kind] and is_selected(one, which)
        ]
        return sorted(found, key=lambda one: (one.arrived_at, one.letter_id))


def _place(operation: Operation) -> tuple[object, UUID]:
    return operation.requested_at, operation.operation_id
