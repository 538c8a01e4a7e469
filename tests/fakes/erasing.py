"""What has to be erased, and contents without a document, in memory. Nobody waits here: what
is noted is due at once, unless a test says that it is not."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from services.ingest.domain.erasing import OURS, REPORTING
from services.ingest.ports import Erasure, Walk
from shared.ledger.port import Unit
from tests.fakes.documents import InMemoryDocuments


class InMemoryErasures:
    def __init__(self, documents: InMemoryDocuments) -> None:
        self.planned: dict[UUID, Erasure] = {}
        self.awaited: dict[UUID, set[str]] = {}
        self._documents = documents

    async def plan_erasures(self, unit: Unit, content_keys: Mapping[UUID, str]) -> None:
        for document_id, content_key in content_keys.items():
            self.planned[document_id] = Erasure(document_id, content_key, 0)
            self.awaited[document_id] = {*REPORTING}

    async def claim_erasures(self, *, count: int) -> list[Erasure]:
        due = [one for one in self.planned.values() if OURS in self.awaited[one.document_id]]
        claimed = [replace(one, tries=one.tries + 1) for one in due[:count]]
        self.planned |= {one.document_id: one for one in claimed}
        return claimed

    async def note_erased(self, unit: Unit, reports: Sequence[tuple[UUID, str]]) -> None:
        for document_id, service in reports:
            awaited = self.awaited.get(document_id)
            if awaited is None:
                continue
            awaited.discard(service)
            if not awaited:
                del self.awaited[document_id], self.planned[document_id]
                row = self._documents.rows[document_id]
                self._documents.rows[document_id] = replace(row, stage="done")


class InMemoryOrphans:
    def __init__(self, documents: InMemoryDocuments) -> None:
        self.noted: list[str] = []
        self.not_ours: set[str] = set()
        self.spared: set[str] = set()
        self.folder = 0
        self.another_walks = self.resumed = self.paused = False
        self.postponed = 0
        self._documents = documents

    async def claim_walk(self, *, lease_s: float, pause_s: float) -> Walk | None:
        return None if self.another_walks else Walk(self.folder, self.resumed)

    async def end_walk(self, folder: int) -> None:
        self.folder = folder

    async def note_orphans(self, content_keys: Sequence[str], *, after_s: float) -> None:
        has = {row.content_key for row in self._documents.rows.values()}
        self.noted += [one for one in content_keys if one not in {*has, *self.noted}]

    async def spare_contents(self, content_keys: Sequence[str], *, for_s: float) -> None:
        self.spared |= {*content_keys}

    async def is_submission_paused(self) -> bool:
        return self.paused

    async def postpone_orphans(self, *, after_s: float) -> None:
        self.postponed += 1

    async def list_due_orphans(self, *, limit: int) -> list[str]:
        kept = self.not_ours | self.spared
        return [one for one in self.noted if one not in kept][:limit]

    async def forget_orphan(self, content_key: str) -> None:
        self.noted.remove(content_key)

    async def spare_for_good(self, content_key: str) -> None:
        self.not_ours.add(content_key)
