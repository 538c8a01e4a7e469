"""Batches in memory: which members are under way is told by their documents, as in SQL."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from services.ingest.domain.batches import Batch, Member
from services.ingest.domain.documents import NewDocument, Scan
from shared.contracts.facts import BatchCompletedV1
from shared.ledger.port import Unit
from tests.fakes.documents import InMemoryDocuments
from tests.fakes.releases import InMemoryReleases

UNDER_WAY = ("queued", "processing")


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
        self, _unit: Unit, batch: Batch, members: Sequence[tuple[int, NewDocument]]
    ) -> None:
        self.rows[batch.batch_id] = batch
        self._members[batch.batch_id] = {one.document_id: at for at, one in members}

    async def advance_batches(
        self, _unit: Unit, ended: Sequence[UUID]
    ) -> list[BatchCompletedV1]:
        touched = [one for one, members in self._members.items() if members.keys() & {*ended}]
        return [fact for one in touched if (fact := self._advance(one)) is not None]

    async def find_batch(self, batch_id: UUID, *, owner_id: str | None) -> Batch | None:
        row = self.rows.get(batch_id)
        return row if row and owner_id in (None, row.owner_id) else None

    async def find_batch_of(self, _unit: Unit, document_id: UUID) -> Batch | None:
        found = (one for one, members in self._members.items() if document_id in members)
        batch_id = next(found, None)
        return None if batch_id is None else self.rows[batch_id]

    async def list_members(self, batch_id: UUID) -> list[Member]:
        members = sorted(self._members[batch_id].items(), key=lambda one: one[1])
        return [self._member(document_id, at) for document_id, at in members]

    def _advance(self, batch_id: UUID) -> BatchCompletedV1 | None:
        members = self._members[batch_id]
        statuses = [self._documents.rows[one].status for one in members]
        held = [
            one
            for one in members
            if one in self._releases.waiting and not self._releases.waiting[one].ready
        ]
        under_way = sum(one in UNDER_WAY for one in statuses)
        for one in held[: max(self.at_once - (under_way - len(held)), 0)]:
            self._releases.waiting[one] = replace(self._releases.waiting[one], ready=True)
        if under_way:
            return None
        row = self.rows[batch_id]
        self.rows[batch_id] = replace(row, revision=row.revision + 1)
        found = Counter(statuses)
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
        )
