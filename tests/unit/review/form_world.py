"""A review service with an invoice that holds together, in Anna's hands, for tests that then
change one thing about it."""

from datetime import timedelta
from uuid import UUID, uuid4

from services.review.domain.edits import Change
from services.review.domain.items import ItemField, ReviewItem
from services.review.handlers.claiming import claim_item
from services.review.handlers.correcting import Correction, correct_fields
from services.review.handlers.forming import Look, look_at
from services.review.handlers.opening import open_items
from shared.contracts.extraction import Evidence, ExtractedField, ExtractionV1
from tests import builders
from tests.unit.review.world import World

BOX = {"page": 1, "bbox": [0.1, 0.2, 0.3, 0.25], "text": "119,00"}
BYTES, OTHER_BYTES = "a" * 64, "b" * 64
LATER = builders.ACCEPTED_AT + timedelta(hours=1)


def invoice(**changes: str | None) -> dict[str, str]:
    """Consistent to the cent; `a__b` stands for `a.b`, None takes a value out."""
    values: dict[str, str | None] = {
        "seller.name": "Harbour Works",
        "seller.vat_id": "DE136695976",
        "invoice_number": "R-1042",
        "issue_date": "2026-03-02",
        "currency": "EUR",
        "lines.0.description": "Rope",
        "lines.0.quantity": "2",
        "lines.0.unit_price": "20.00",
        "lines.0.net_amount": "40.00",
        "lines.1.description": "Anchor",
        "lines.1.quantity": "1",
        "lines.1.unit_price": "60.00",
        "lines.1.net_amount": "60.00",
        "subtotal": "100.00",
        "tax_total": "19.00",
        "total": "119.00",
    }
    values |= {path.replace("__", "."): value for path, value in changes.items()}
    return {path: value for path, value in values.items() if value is not None}


def extraction(values: dict[str, str], sha256: str = BYTES, **given: object) -> ExtractionV1:
    fields = {
        path: ExtractedField(
            value=value,
            raw=value,
            confidence=0.97,
            status="extracted",
            source="pdf_text",
            evidence=(Evidence.model_validate(BOX),),
        )
        for path, value in values.items()
    }
    known = {"document_id": uuid4(), "sha256": sha256, "fields": fields}
    return builders.extraction(**{**known, **given})


class FormWorld(World):
    async def shown(self, read: ExtractionV1, *, result_version: int = 1) -> ReviewItem:
        """The item that this reading opens, or shows anew."""
        body = builders.open_review(
            document_id=read.document_id,
            owner_id=read.owner_id,
            extraction_key=self.store(read),
            sha256=read.sha256,
            accepted_at=read.accepted_at,
            result_version=result_version,
        )
        await open_items([builders.job(body)], self.ports)
        return await self.item(read.document_id)

    async def held(self, reviewer: str = "anna", **changes: str | None) -> ReviewItem:
        item = await self.shown(extraction(invoice(**changes)))
        return await self.claimed(item.document_id, reviewer)

    async def another(self, **changes: str | None) -> ReviewItem:
        """The same invoice in other bytes, handed in later."""
        read = extraction(
            invoice(**changes), OTHER_BYTES, filename="again.pdf", accepted_at=LATER
        )
        return await self.shown(read)

    async def claimed(self, document_id: UUID, reviewer: str = "anna") -> ReviewItem:
        return await claim_item(document_id, reviewer, self.ports)

    async def correct(
        self, item: ReviewItem, *changes: Change, reviewer: str = "anna"
    ) -> ReviewItem:
        asked = Correction(item.document_id, reviewer, item.version, changes)
        return await correct_fields(asked, self.ports)

    def reviewed(self, document_id: str) -> ExtractionV1:
        key = self.items.items[UUID(document_id)].reviewed_key
        assert key is not None
        return ExtractionV1.model_validate_json(self.blobs.objects[key])

    async def field(self, item: ReviewItem, path: str) -> ItemField:
        fields = await self.items.list_fields(item.document_id)
        return next(one for one in fields if one.path == path)

    async def look(self, item: ReviewItem) -> Look:
        return await look_at(await self.item(item.document_id), self.ports)


def put(path: str, value: str | None) -> Change:
    return Change("set", path, value)
