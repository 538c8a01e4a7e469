"""Files that are split, in memory."""

from collections.abc import Sequence
from uuid import UUID

from services.ingest.domain.splitting import Child, Family
from shared.ledger.port import Unit
from tests.fakes.documents import WITHDRAWN, InMemoryDocuments


class InMemorySplits:
    def __init__(self, documents: InMemoryDocuments) -> None:
        self._documents = documents
        # By child.
        self.parts: dict[UUID, tuple[UUID, Child]] = {}

    async def keep_children(
        self, unit: Unit, parent_id: UUID, children: Sequence[Child]
    ) -> set[UUID]:
        fresh = {one.document_id: one for one in children if one.document_id not in self.parts}
        self.parts |= {document_id: (parent_id, one) for document_id, one in fresh.items()}
        return {*fresh}

    async def show_split(self, unit: Unit, parent_id: UUID) -> bool:
        row = self._documents.rows.get(parent_id)
        return row is not None and row.status != "deleted"

    async def find_family(self, document_id: UUID) -> Family:
        parent, own = self.parts.get(document_id, (None, None))
        children = sorted(
            (one for of, one in self.parts.values() if of == document_id),
            key=lambda one: one.position,
        )
        return Family(
            parent,
            list(own.pages) if own else [],
            [one.document_id for one in children],
            self._original_of(document_id),
        )

    def _original_of(self, document_id: UUID) -> UUID | None:
        rows = self._documents.rows
        copy = rows.get(document_id)
        if copy is None or not copy.duplicate:
            return None
        return next(
            (
                one.document_id
                for one in rows.values()
                if (one.owner_id, one.content_key) == (copy.owner_id, copy.content_key)
                and one.result_version > 0
                and one.status not in ("duplicate", *WITHDRAWN)
            ),
            None,
        )
