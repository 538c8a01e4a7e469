"""Places and waiting documents in memory, given out in the same order as by PostgreSQL.

`tests/broker/test_ingest_release.py` asks the same of the real ones.
"""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from services.ingest.domain.documents import NewDocument
from services.ingest.domain.turns import PRIORITIES, Look, Newcomer, Served
from services.ingest.domain.waiting import QueuePlace, queue_place
from services.ingest.ports import Released, TakenIn
from shared.contracts.body import Priority
from shared.ledger.port import Unit
from tests.fakes.documents import InMemoryDocuments
from tests.fakes.ledger import FakeUnit


class InMemoryReleases:
    def __init__(self, documents: InMemoryDocuments, window: int = 32) -> None:
        self.window = window
        self.waiting: dict[UUID, Newcomer] = {}
        self.urgent = 0
        self._documents = documents
        self._since: dict[UUID, int] = {}
        self._urgent_seen = 0
        self._others = 0
        self._last: dict[int, str] = {}

    async def take_in(
        self, unit: Unit, documents: Sequence[NewDocument], newcomers: Sequence[Newcomer]
    ) -> TakenIn:
        let_in = self._placed(newcomers)
        return TakenIn(let_in, await self._documents.insert_documents(unit, documents))

    def _placed(self, newcomers: Sequence[Newcomer]) -> set[UUID]:
        room = 0 if self._queue() else self.window - self._taken()
        let_in: set[UUID] = set()
        for one in sorted(newcomers, key=lambda one: (-one.priority, one.accepted_at)):
            urgent = one.priority is Priority.URGENT
            if one.ready and (urgent or len(let_in) < room):
                let_in.add(one.document_id)
                self.urgent += urgent
        for one in newcomers:
            if one.document_id not in let_in:
                self.waiting[one.document_id] = one
                self._since[one.document_id] = self.urgent
                self._documents.held.add(one.document_id)
        return let_in

    async def is_anyone_waiting(self) -> bool:
        return bool(self._queue())

    async def look(self, _unit: Unit) -> Look | None:
        queue = self._queue()
        if not queue:
            return None
        seen = max(self._urgent_seen, self._since[queue[0].document_id])
        free = self.window - self._taken()
        waiting = [one for one in PRIORITIES if any(one == w.priority for w in queue)]
        urgent = self.urgent - seen
        return Look(free, queue[0].document_id, urgent, self._others, waiting)

    async def find_next(
        self, _unit: Unit, priority: int, count: int, *, but_not: UUID | None
    ) -> list[tuple[UUID, str]]:
        last = self._last.get(priority, "")
        own: dict[str, list[UUID]] = {}
        for one in self._queue():
            if one.priority == priority and one.document_id != but_not:
                own.setdefault(one.owner_id, []).append(one.document_id)
        owners = sorted(own, key=lambda owner_id: (owner_id <= last, owner_id))
        rounds = range(max(map(len, own.values()), default=0))
        in_turn = ((nth, who) for nth in rounds for who in owners if nth < len(own[who]))
        return [(own[who][nth], who) for nth, who in in_turn][:count]

    async def release(
        self, _unit: Unit, document_ids: Sequence[UUID], served: Served
    ) -> list[Released]:
        if served.oldest:
            self._others, self._urgent_seen = served.others, self.urgent - served.urgent_owed
        else:
            self._others += served.others
        self._last |= served.last
        return [self._release(document_id) for document_id in document_ids]

    async def count_urgent(self, _unit: Unit, count: int) -> None:
        self.urgent += count

    async def find_place(self, document_id: UUID) -> QueuePlace | None:
        one = self.waiting.get(document_id)
        if one is None:
            return None
        queue = self._queue()
        before = [other for other in queue if other.priority > one.priority]
        turns = await self.find_next(FakeUnit(), one.priority, len(queue), but_not=None)
        in_turn = [other for other, _ in turns]
        nth = in_turn.index(document_id) if document_id in in_turn else 0
        return queue_place(one.ready, len(before) + nth + 1, len(queue))

    def _queue(self) -> list[Newcomer]:
        ended = [one for one in self.waiting if self._documents.rows[one].status != "queued"]
        for one in ended:
            del self.waiting[one]
        ready = (one for one in self.waiting.values() if one.ready)
        return sorted(ready, key=lambda one: (one.accepted_at, one.document_id))

    def _taken(self) -> int:
        return sum(
            row.status in ("queued", "processing")
            and row.engine is None
            and row.document_id not in self.waiting
            for row in self._documents.rows.values()
        )

    def _release(self, document_id: UUID) -> Released:
        waited = self.waiting.pop(document_id)
        row = self._documents.rows[document_id]
        self._documents.rows[document_id] = replace(row, stage="queued")
        return Released(
            row.document_id,
            row.owner_id,
            row.created_at,
            row.priority,
            row.content_key,
            row.sha256,
            row.size_bytes,
            row.media_type,
            row.filename,
            row.run,
            waited.traceparent,
            document_id in self._documents.forced,
            self._documents.replaces.get(document_id, 0),
            row.due_at,
            self._documents.wanted.get(document_id),
        )
