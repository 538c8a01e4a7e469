"""Cancelled and deleted documents, in the same dictionaries as the others."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from services.ingest.domain.documents import Document
from services.ingest.domain.life import ENDED, QUEUED, SUCCEEDED
from services.ingest.ports import Ending, Reopened, Reopening
from shared.audit.chain import Entry
from shared.ledger.port import Unit
from tests.fakes.documents import InMemoryDocuments

UNDER_WAY = ("queued", "processing")


class InMemoryEndings:
    def __init__(self, documents: InMemoryDocuments) -> None:
        self._documents = documents

    async def cancel_documents(
        self, unit: Unit, fact_ids: Mapping[UUID, UUID], *, owner_id: str | None
    ) -> list[Ending]:
        found = [
            row
            for document_id in fact_ids
            if (row := await self._documents.find_document(document_id, owner_id=owner_id))
            and row.status in UNDER_WAY
            and not row.result_version
            and document_id not in self._documents.holds
        ]
        for row in found:
            cancelled = replace(row, status="cancelled", **_AT_REST, revision=row.revision + 1)
            self._documents.put(cancelled, ENDED, fact_ids[row.document_id])
        return [_ending(row) for row in found]

    async def delete_documents(
        self, unit: Unit, fact_ids: Mapping[UUID, UUID], *, owner_id: str | None
    ) -> list[Ending]:
        found = [
            row
            for document_id in fact_ids
            if (row := await self._documents.find_document(document_id, owner_id=owner_id))
            and row.status != "deleted"
            and document_id not in self._documents.holds
        ]
        for row in found:
            tombstone = replace(
                row,
                **_AT_REST | _SILENT | {"stage": "erasing"},
                status="deleted",
                revision=row.revision + 1,
            )
            self._documents.put(tombstone, 100, fact_ids[row.document_id])
        return [_ending(row) for row in found]

    async def reopen_document(self, unit: Unit, asked: Reopening) -> Reopened | None:
        row = await self._documents.find_document(asked.document_id, owner_id=asked.owner_id)
        by_force = asked.force and row is not None and row.status in SUCCEEDED
        if row is None or not (row.status == "failed" or by_force):
            return None
        reopened = replace(
            row,
            **_AT_REST | {"stage": "held"},
            status="queued",
            run=row.run + 1,
            attempts=0,
            progress=0,
            duplicate=False,
            revision=row.revision + 1,
        )
        self._documents.replaces[row.document_id] = row.result_version
        if asked.force:
            self._documents.forced.add(row.document_id)
        elif row.status != "failed":
            self._documents.forced.discard(row.document_id)
        if asked.engine is not None:
            self._documents.wanted[row.document_id] = asked.engine
        elif row.status != "failed":
            self._documents.wanted.pop(row.document_id, None)
        self._documents.put(reopened, QUEUED, asked.told_id)
        return Reopened(reopened.run, row.status, row.result_version)

    async def erase_events(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        for document_id in document_ids:
            told = self._documents.events[document_id]
            told[:] = [one for one in told if one[1].type == "document.deleted"]


class InMemoryContents:
    def __init__(self, documents: InMemoryDocuments) -> None:
        self._documents = documents

    async def release_content(self, unit: Unit, content_key: str) -> bool:
        rows = self._documents.rows.values()
        if any(row.content_key == content_key for row in rows):
            return False
        self._documents.erased_contents.add(content_key)
        return True

    async def is_erasable(self, unit: Unit, content_key: str) -> bool:
        return content_key in self._documents.erased_contents


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
