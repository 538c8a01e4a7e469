"""Documents through an engine, as the extractor would: in the same children, as many at once.

What an engine refuses is an answer too: it counts as nothing found, and is told by its reason.
"""

import asyncio
import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import uuid4

from deploy.evaluation.corpus import Document
from deploy.evaluation.forms import Cells, in_one_form, row_in_one_form
from services.extractor.domain.reading import MISSING, Reading, Scan
from services.extractor.ports import Engine
from shared.errors import Deferred, Rejected, Retryable
from shared.invoice.paths import places

# The corpus's names of what the invoice calls otherwise.
PATHS = {
    "invoice_number": "invoice_number",
    "invoice_date": "issue_date",
    "due_date": "due_date",
    "vendor_name": "seller.name",
    "currency": "currency",
    "subtotal": "subtotal",
    "tax": "tax_total",
    "total": "total",
    "vat_id": "seller.vat_id",
    "iban": "payment.accounts.0.iban",
}
CELL_PATHS = {
    "description": "description",
    "quantity": "quantity",
    "unit_price": "unit_price",
    "amount": "net_amount",
}
MEDIA_TYPES = {
    ".pdf": "application/pdf",
    ".xml": "application/xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".gif": "image/gif",
    ".tif": "image/tiff",
    ".tiff": "image/tiff",
    ".bmp": "image/bmp",
}


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of one document. Without fields: nothing was found, or it was refused."""

    seconds: float
    page_count: int = 0
    engine: str | None = None
    refused: str | None = None
    fields: Mapping[str, str | None] = field(default_factory=dict)
    confidences: Mapping[str, float] = field(default_factory=dict)
    rows: Sequence[Cells] = ()


async def read_all(
    engine: Engine,
    documents: Sequence[Document],
    at_once: int,
    told: Callable[[int], None],
) -> dict[str, Answered]:
    slots = asyncio.Semaphore(at_once)
    answers: dict[str, Answered] = {}

    async def one(document: Document) -> None:
        async with slots:
            answers[document.document] = await _read(engine, document)
        told(len(answers))

    async with asyncio.TaskGroup() as group:
        for document in documents:
            group.create_task(one(document))
    return answers


async def _read(engine: Engine, document: Document) -> Answered:
    content = await asyncio.to_thread(document.file.read_bytes)
    media_type = MEDIA_TYPES.get(document.file.suffix.lower(), "application/octet-stream")
    digest = hashlib.sha256(content).hexdigest()
    scan = Scan(uuid4(), "evaluation", digest, media_type, content)
    began_at = time.monotonic()
    try:
        reading = await engine.read(scan, _unwatched)
    except (Rejected, Retryable, Deferred) as error:
        return Answered(time.monotonic() - began_at, refused=str(error))
    seconds = time.monotonic() - began_at
    return Answered(seconds) if reading is None else _answered(reading, seconds)


async def _unwatched(percent: int, stage: str) -> None:
    """Progress is told by documents here."""


def _answered(reading: Reading, seconds: float) -> Answered:
    found = {name: reading.fields.get(path, MISSING) for name, path in PATHS.items()}
    return Answered(
        seconds=seconds,
        page_count=reading.page_count,
        engine=reading.engine,
        fields={name: in_one_form(name, one.value) for name, one in found.items()},
        confidences={name: one.confidence for name, one in found.items()},
        rows=[_row(reading, place) for place in places(reading.fields, "lines")],
    )


def _row(reading: Reading, place: int) -> Cells:
    return row_in_one_form(
        {
            cell: reading.fields.get(f"lines.{place}.{path}", MISSING).value
            for cell, path in CELL_PATHS.items()
        }
    )
