"""Batches in memory: which members are under way is told by their documents, as in SQL."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from uuid import UUID

from services.ingest.domain.batches import UNDER_WAY, Batch, Member, NewBatch, standing_of
from services.ingest.domain.documents import Event, NewDocument, Scan
from services.ingest.ports import Page
from shared.contracts.facts import BatchCompletedV1
from shared.ledger.port import Unit
from tests.fakes.clock import NOON
from tests.fakes.documents import InMemoryDocuments
from tests.fakes.releases import InMemoryReleases


class InMemoryBatches:
    def __init__(self, documents: InMemoryDocuments, releases: InMemoryReleases) -> None:
        self.at_once = 10
        self.rows: dict[UUID, Batch] = {}
        self._documents = documents
        self._releases = releases
        self._members: dict[UUID, dict[UUID, int]] = {}

    async def find_scans(self, owner_id: str, content_keys: Sequence[str]) -> dict[str, Scan]:
        return {
            row.content_key: Scan(row.content_key, row.sha256, row.size_bytes, row.media_type)
            for row in self._documents.rows.values()
            if row.owner_id == owner_id and row.content_key in content_keys
        }

    async def insert_batch(
        self, _unit: Unit, batch: NewBatch, members: Sequence[tuple[int, NewDocument]]
    ) -> None:
        rejected = [asdict(one) for one in batch.refused]
        self.rows[batch.batch_id] = Batch(
            batch.batch_id, batch.owner_id, batch.created_at, None, None, 0, rejected
        )
        self._members[batch.batch_id] = {one.document_id: at for at, one in members}

    async def advance_batches(
        self, _unit: Unit, moved: Sequence[UUID]
    ) -> list[BatchCompletedV1]:
        touched = [one for one, members in self._members.items() if members.keys() & {*moved}]
        return self._advance_all(touched)

    async def find_stalled(self, *, limit: int) -> list[UUID]:
        return [one for one in self.rows if self._is_stalled(one)][:limit]

    async def advance_stalled(
        self, _unit: Unit, batch_ids: Sequence[UUID]
    ) -> list[BatchCompletedV1]:
        return self._advance_all(
            [one for one in batch_ids if self.rows[one].completed_at is None]
        )

    async def find_batch(self, batch_id: UUID, *, owner_id: str | None) -> Batch | None:
        row = self.rows.get(batch_id)
        return self.standing(row) if row and owner_id in (None, row.owner_id) else None

    async def list_batches(self, page: Page) -> list[Batch]:
        found = sorted(
            self.rows.values(), key=lambda one: (one.created_at, one.batch_id), reverse=True
        )
        shown = [
            self.standing(one)
            for one in found
            if page.owner_id in (None, one.owner_id)
            and one.deleted_at is None
            and (
                page.before_at is None
                or page.before_id is None
                or (one.created_at, one.batch_id) < (page.before_at, page.before_id)
            )
        ]
        return shown[: page.limit]

    async def list_members(
        self, batch_id: UUID, *, after: int = -1, limit: int | None = None
    ) -> list[Member]:
        members = sorted(self._members[batch_id].items(), key=lambda one: one[1])
        return [self._member(one, at) for one, at in members if at > after][:limit]

    async def list_open_members(self, batch_id: UUID, *, limit: int) -> list[UUID]:
        held = set(self._held(batch_id))
        found = [
            one
            for one in self._members[batch_id]
            if self._documents.rows[one].status in UNDER_WAY
        ]
        return sorted(reversed(found), key=lambda one: one not in held)[:limit]

    async def delete_batch(self, _unit: Unit, batch_id: UUID) -> bool:
        row = self.rows[batch_id]
        nameless = [{**one, "filename": "", "detail": ""} for one in row.rejected]
        self.rows[batch_id] = replace(row, deleted_at=NOON, rejected=nameless)
        return row.deleted_at is None

    def standing(self, row: Batch) -> Batch:
        found = [self._documents.rows[one] for one in self._members[row.batch_id]]
        done = [one.progress if one.status in UNDER_WAY else 100 for one in found]
        return replace(
            row,
            documents=len(found),
            counts=dict(Counter(one.status for one in found)),
            progress=sum(done) // len(done),
            version=sum(one.revision for one in found) + row.revision,
        )

    def _held(self, batch_id: UUID) -> list[UUID]:
        waiting = self._releases.waiting
        return [
            one for one in self._members[batch_id] if one in waiting and not waiting[one].ready
        ]

    def _under_way(self, batch_id: UUID) -> int:
        statuses = [self._documents.rows[one].status for one in self._members[batch_id]]
        return sum(one in UNDER_WAY for one in statuses) - len(self._held(batch_id))

    def _is_stalled(self, batch_id: UUID) -> bool:
        held, under_way = bool(self._held(batch_id)), self._under_way(batch_id)
        can_go_on = under_way < self.at_once if held else under_way == 0
        return self.rows[batch_id].completed_at is None and can_go_on

    def _advance_all(self, batch_ids: Sequence[UUID]) -> list[BatchCompletedV1]:
        return [fact for one in batch_ids if (fact := self._advance(one)) is not None]

    def _advance(self, batch_id: UUID) -> BatchCompletedV1 | None:
        waiting = self._releases.waiting
        room = max(self.at_once - self._under_way(batch_id), 0)
        held = sorted(self._held(batch_id), key=lambda one: -waiting[one].priority)
        for one in held[:room]:
            waiting[one] = replace(waiting[one], ready=True)
        row = self.standing(self.rows[batch_id])
        if not row.is_complete:
            self.rows[batch_id] = replace(self.rows[batch_id], completed_at=None)
            return None
        self.rows[batch_id] = replace(row, revision=row.revision + 1, completed_at=NOON)
        found = Counter(row.counts)
        return BatchCompletedV1(
            batch_id=batch_id,
            owner_id=row.owner_id,
            revision=row.revision + 1,
            completed=found["completed"],
            duplicate=found["duplicate"],
            failed=found["failed"],
            cancelled=found["cancelled"] + found["deleted"],
            rejected=len(row.rejected),
        )

    def _member(self, document_id: UUID, position: int) -> Member:
        row = self._documents.rows[document_id]
        return Member(
            position,
            document_id,
            row.status,
            row.stage,
            row.progress,
            row.filename,
            row.error_message,
            row.confidence,
            row.vendor_name,
            row.invoice_number,
            row.invoice_date,
            row.total,
            row.currency,
            row.result_key,
        )


class InMemoryStandings:
    def __init__(self, batches: InMemoryBatches) -> None:
        self._batches = batches

    async def list_new_events(
        self, after: Mapping[UUID, int], *, limit: int
    ) -> list[tuple[UUID, Event]]:
        found = [self._batches.standing(self._batches.rows[one]) for one in after]
        return [
            (one.batch_id, standing_of(one, NOON))
            for one in found
            if one.version > after[one.batch_id]
        ]
