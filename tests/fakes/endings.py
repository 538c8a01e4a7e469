"""Cancelled and deleted documents, in the same dictionaries as the others."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from services.ingest.domain.documents import Document
from services.ingest.domain.life import ENDED, QUEUED
from services.ingest.ports import Ending
from shared.audit.chain import Entry
from shared.ledger.port import Unit
from tests.fakes.documents import InMemoryDocuments

UNDER_WAY = ("queued", "processing")


class InMemoryEndings:
    def __init__(self, documents: InMemoryDocuments) -> None:
        self._documents = documents

    async def cancel_document(
        self, unit: Unit, document_id: UUID, *, owner_id: str | None, fact_id: UUID
    ) -> Ending | None:
        row = await self._documents.find_document(document_id, owner_id=owner_id)
        if row is None or row.status not in UNDER_WAY:
            return None
        cancelled = replace(row, status="cancelled", **_AT_REST, revision=row.revision + 1)
        self._documents.put(cancelled, ENDED, fact_id)
        return _ending(row)

    async def delete_document(
        self, unit: Unit, document_id: UUID, *, owner_id: str | None, fact_id: UUID
    ) -> Ending | None:
        row = await self._documents.find_document(document_id, owner_id=owner_id)
        if row is None or row.status == "deleted":
            return None
        tombstone = replace(
            row, status="deleted", **_AT_REST, **_SILENT, revision=row.revision + 1
        )
        self._documents.put(tombstone, 100, fact_id)
        return _ending(row)

    async def reopen_document(
        self,
        unit: Unit,
        document_id: UUID,
        *,
        owner_id: str | None,
        told_id: UUID,
        traceparent: str | None,
    ) -> bool:
        row = await self._documents.find_document(document_id, owner_id=owner_id)
        if row is None or row.status != "failed":
            return False
        reopened = replace(
            row,
            **_AT_REST | {"stage": "held"},
            status="queued",
            run=row.run + 1,
            attempts=0,
            progress=0,
            revision=row.revision + 1,
        )
        self._documents.put(reopened, QUEUED, told_id)
        return True

    async def erase_events(self, unit: Unit, document_id: UUID) -> None:
        told = self._documents.events[document_id]
        told[:] = [one for one in told if one[1].type == "document.deleted"]


class InMemoryContents:
    def __init__(self, documents: InMemoryDocuments) -> None:
        self._documents = documents
        self.erased: set[str] = set()

    async def revive_contents(self, unit: Unit, content_keys: Sequence[str]) -> set[str]:
        revived = self.erased & set(content_keys)
        self.erased -= revived
        return revived

    async def release_content(self, unit: Unit, content_key: str) -> bool:
        rows = self._documents.rows.values()
        if any(row.content_key == content_key for row in rows):
            return False
        self.erased.add(content_key)
        return True


class RecordedTrail:
    def __init__(self) -> None:
        self.entries: list[Entry] = []

    async def record(self, unit: Unit, *entries: Entry) -> None:
        self.entries += entries


_AT_REST: dict[str, Any] = {
    "stage": "done",
    "waiting_for": None,
    "next_attempt_at": None,
    "error_message": None,
}
_SILENT: dict[str, Any] = {
    **dict.fromkeys(("filename", "sha256", "content_key"), ""),
    **dict.fromkeys(("review_status", "engine", "confidence", "result_key", "due_at")),
    **dict.fromkeys(("vendor_name", "invoice_number", "invoice_date", "total", "currency")),
    "result_version": 0,
    "duplicate": False,
    "tags": (),
    "metadata": {},
}


def _ending(row: Document) -> Ending:
    return Ending(
        row.document_id,
        row.owner_id,
        row.created_at,
        row.priority,
        row.run,
        row.content_key,
        row.status in UNDER_WAY,
        1.0,
    )
