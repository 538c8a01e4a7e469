"""Approved versions on their way to consumers, in memory; and an audit log that is a list."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from services.storage.domain.exports import Place
from services.storage.domain.handover import Approval, Batch, Consumer
from services.storage.domain.listed import Listed
from shared.audit.chain import Entry
from shared.contracts.identity import new_id
from shared.ledger.port import Unit
from tests.fakes.clock import FakeClock
from tests.fakes.result_index import InMemoryResultIndex
from tests.fakes.storage import InMemoryStoredResults


class InMemoryHandovers:
    def __init__(
        self, results: InMemoryStoredResults, index: InMemoryResultIndex, clock: FakeClock
    ) -> None:
        self.approvals: dict[tuple[UUID, int], Approval] = {}
        self.consumers: dict[tuple[str, str], Consumer] = {}
        self.batches: dict[UUID, Batch] = {}
        self.items: dict[UUID, list[tuple[UUID, int]]] = {}
        self.head = 0
        self._results, self._index, self._clock = results, index, clock

    async def note_approved(self, unit: Unit, entries: Sequence[Listed]) -> None:
        for one in entries:
            current = self._results.current.get(one.document_id)
            is_current = current is not None and current.version == one.version
            if is_current and one.verdict in ("approved", "corrected"):
                self._approve(one.document_id, one.version, one.owner_id, one.verdict)

    async def approve_missing(self, unit: Unit, limit: int) -> int:
        before = len(self.approvals)
        for document_id, shown in self._results.current.items():
            row = self._results.rows[document_id, shown.version]
            if row.verdict in ("approved", "corrected"):
                self._approve(document_id, row.version, row.owner_id, row.verdict)
        return len(self.approvals) - before

    async def number_approvals(self, unit: Unit, limit: int) -> int:
        # In the order in which they came: nothing commits out of order here.
        fresh = [key for key, one in self.approvals.items() if not one.position][:limit]
        for key in fresh:
            self.head += 1
            self.approvals[key] = replace(self.approvals[key], position=self.head)
        return len(fresh)

    async def open_consumer(
        self, unit: Unit, *, owner_id: str, name: str, of_owner: str | None, from_now: bool
    ) -> Consumer | None:
        if (owner_id, name) in self.consumers:
            return None
        position = self.head if from_now else 0
        about = (new_id(), owner_id, name, of_owner, position, self._clock.now())
        self.consumers[owner_id, name] = Consumer(*about)
        return self.consumers[owner_id, name]

    async def count_consumers(self, unit: Unit, owner_id: str) -> int:
        return sum(one == owner_id for one, _ in self.consumers)

    async def find_consumer(self, owner_id: str, name: str) -> Consumer | None:
        return self.consumers.get((owner_id, name))

    async def list_consumers(self, owner_id: str, limit: int) -> list[Consumer]:
        found = [one for (owner, _), one in sorted(self.consumers.items()) if owner == owner_id]
        return found[:limit]

    async def count_waiting(self, consumer: Consumer, limit: int) -> int:
        waiting = [one for one in self._unerased(consumer) if not one.position]
        return len([*waiting, *self._waiting(consumer)][:limit])

    async def lock_consumer(self, unit: Unit, owner_id: str, name: str) -> Consumer | None:
        return self.consumers.get((owner_id, name))

    async def give_again(self, unit: Unit, consumer: Consumer) -> Batch | None:
        for one in self.batches.values():
            if one.consumer_id == consumer.consumer_id and one.acknowledged_at is None:
                self.batches[one.batch_id] = replace(one, times_given=one.times_given + 1)
                return self.batches[one.batch_id]
        return None

    async def list_waiting(self, unit: Unit, consumer: Consumer, limit: int) -> list[Approval]:
        return self._waiting(consumer)[:limit]

    async def open_batch(
        self, unit: Unit, consumer: Consumer, items: Sequence[Approval], sha256: str
    ) -> Batch:
        batch = Batch(
            batch_id=new_id(),
            consumer_id=consumer.consumer_id,
            last_position=items[-1].position,
            count=len(items),
            sha256=sha256,
            created_at=self._clock.now(),
            times_given=1,
        )
        self.batches[batch.batch_id] = batch
        self.items[batch.batch_id] = [(one.document_id, one.version) for one in items]
        return batch

    async def find_batch(self, unit: Unit, consumer: Consumer, batch_id: UUID) -> Batch | None:
        found = self.batches.get(batch_id)
        return found if found and found.consumer_id == consumer.consumer_id else None

    async def list_items(self, unit: Unit, batch: Batch) -> list[Approval]:
        return [self._shown(self.approvals[key]) for key in self.items[batch.batch_id]]

    async def acknowledge_batch(self, unit: Unit, batch: Batch, by: str) -> Batch | None:
        known = self.batches[batch.batch_id]
        if known.acknowledged_at is not None:
            return None
        now = self._clock.now()
        self.batches[batch.batch_id] = replace(known, acknowledged_at=now, acknowledged_by=by)
        for key, one in self.consumers.items():
            if one.consumer_id == batch.consumer_id:
                self.consumers[key] = replace(one, position=batch.last_position)
        return self.batches[batch.batch_id]

    async def list_receipts(
        self, consumer: Consumer, before: Place | None, limit: int
    ) -> list[Batch]:
        found = [
            (one.acknowledged_at, one.batch_id, one)
            for one in self.batches.values()
            if one.consumer_id == consumer.consumer_id and one.acknowledged_at is not None
        ]
        place = (before.accepted_at, before.document_id) if before else None
        shown = [one for one in sorted(found, reverse=True) if place is None or one[:2] < place]
        return [batch for _, _, batch in shown[:limit]]

    def _approve(self, document_id: UUID, version: int, owner_id: str, verdict: str) -> None:
        about = (document_id, version, owner_id, verdict, self._clock.now())
        # Without a position until somebody gives it one.
        one = Approval(*about, 0)
        self.approvals.setdefault((document_id, version), one)

    def _waiting(self, consumer: Consumer) -> list[Approval]:
        found = sorted(self._unerased(consumer), key=lambda one: one.position)
        return [one for one in found if one.position > consumer.position]

    def _unerased(self, consumer: Consumer) -> list[Approval]:
        return [
            one
            for one in self.approvals.values()
            if consumer.of_owner in (None, one.owner_id)
            and one.document_id not in self._index.erased
        ]

    def _shown(self, one: Approval) -> Approval:
        gone = one.document_id in self._index.erased
        return replace(one, erased_at=self._clock.now()) if gone else one


class RecordedTrail:
    def __init__(self) -> None:
        self.entries: list[Entry] = []

    async def record(self, unit: Unit, *entries: Entry) -> None:
        self.entries += entries
