"""From what an engine answered to the extraction that travels, and from a kept one to a copy.

Pure functions of the order and the reading: the same document read twice has the same bytes,
hence the same key.
"""

from dataclasses import asdict
from typing import Any

from services.extractor.domain.reading import Field, Page, Reading
from shared.contracts.extraction import ExtractionV1
from shared.contracts.orders import ExtractDocumentV1


def extraction_of(
    order: ExtractDocumentV1, reading: Reading, config: str, *, words_key: str | None = None
) -> ExtractionV1:
    """Checked as a whole: field by field it would take three times as long."""
    return ExtractionV1.model_validate(
        {
            "document_id": order.document_id,
            "owner_id": order.owner_id,
            "accepted_at": order.accepted_at,
            "sha256": order.sha256,
            "media_type": order.media_type,
            "filename": order.filename,
            "page_count": reading.page_count,
            "engine": reading.engine,
            "config": config,
            "confidence": reading.confidence,
            "fields": {path: _field(one) for path, one in reading.fields.items()},
            "versions": dict(reading.versions),
            "findings": [asdict(one) for one in reading.findings],
            "pages": [_page(one) for one in reading.pages],
            "usage": [asdict(one) for one in reading.usage],
            "degraded": reading.degraded,
            "words_key": words_key,
        }
    )


def copy_for(
    order: ExtractDocumentV1, kept: ExtractionV1, words_key: str | None
) -> ExtractionV1:
    """What was read from the same content, told about another document."""
    return kept.model_copy(
        update={
            "document_id": order.document_id,
            "owner_id": order.owner_id,
            "accepted_at": order.accepted_at,
            "filename": order.filename,
            "cache_hit": True,
            "words_key": words_key,
        }
    )


def _page(one: Page) -> dict[str, Any]:
    return {
        "number": one.number,
        "width": one.width,
        "height": one.height,
        "source": one.source,
        "fingerprint": one.fingerprint,
    }


def _field(one: Field) -> dict[str, Any]:
    """By hand: asdict copies all that it meets, for each of a document's fields."""
    return {
        "value": one.value,
        "raw": one.raw,
        "confidence": one.confidence,
        "status": one.status,
        "source": one.source,
        "evidence": [
            {"page": span.page, "bbox": span.box, "text": span.text} for span in one.evidence
        ],
        "signals": one.signals,
        "alternatives": [asdict(other) for other in one.alternatives],
    }
