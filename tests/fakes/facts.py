"""What was told of documents, in memory, beside the letters of `tests/fakes/monitor.py`."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from services.monitor.domain.sightings import Sighting
from services.monitor.domain.timelines import Deed, FoundDocument, Sent, ToldFact
from shared.ledger.port import Unit
from tests.fakes.clock import NOON
from tests.fakes.monitor import InMemoryDocuments, InMemoryLetters, InMemoryReplays

ACCEPTED = "document.accepted"


class InMemoryFacts:
    def __init__(
        self,
        documents: InMemoryDocuments,
        letters: InMemoryLetters,
        replays: InMemoryReplays,
    ) -> None:
        self.told: dict[tuple[UUID, UUID], ToldFact] = {}
        self.deeds: list[Deed] = []
        self._documents = documents
        self._letters = letters
        self._replays = replays

    async def keep_facts(
        self, unit: Unit, facts: Sequence[ToldFact], sightings: Sequence[Sighting]
    ) -> set[UUID]:
        moved = self._documents.move(sightings)
        for one in facts:
            seen = self._documents.seen.get(one.document_id)
            kept = replace(one, detail={}) if seen and seen.is_deleted else one
            self.told.setdefault((one.document_id, one.job_id), kept)
        return moved

    async def strip_facts(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        for key, one in self.told.items():
            if one.document_id in document_ids:
                self.told[key] = replace(one, detail={})

    async def forget_facts(self, days: int, limit: int) -> int:
        return 0

    async def forget_purged(self, days: int, limit: int) -> int:
        return 0

    async def find_document(self, document_id: UUID) -> FoundDocument | None:
        seen = self._documents.seen.get(document_id)
        if seen is None:
            return None
        return FoundDocument(
            seen.document_id, seen.owner_id, seen.accepted_at, seen.status, seen.run, NOON
        )

    async def find_documents(
        self, *, sha256: str | None, filename: str | None, limit: int
    ) -> list[FoundDocument]:
        found = []
        for one in self.told.values():
            name = str(one.detail.get("filename", ""))
            is_it = one.detail.get("sha256") == sha256 if sha256 else False
            begins = filename is not None and name.lower().startswith(filename.lower())
            document = await self.find_document(one.document_id)
            if one.type == ACCEPTED and document and (is_it or begins):
                found.append(replace(document, filename=name))
        return sorted(found, key=lambda one: one.accepted_at, reverse=True)[:limit]

    async def list_facts(self, document_id: UUID, limit: int) -> list[ToldFact]:
        found = [one for one in self.told.values() if one.document_id == document_id]
        return sorted(found, key=lambda one: (one.said_at, one.job_id))[:limit]

    async def list_replays_of(self, document_id: UUID, limit: int) -> list[Sent]:
        ids = {one.letter_id for one in self._letters.all if one.document_id == document_id}
        sent = [Sent(one, None) for one in self._replays.replays.values()]
        return [one for one in sent if one.replay.letter_id in ids][:limit]

    async def list_deeds(self, resources: Sequence[str], limit: int) -> list[Deed]:
        return [one for one in self.deeds if one.resource in resources][:limit]
