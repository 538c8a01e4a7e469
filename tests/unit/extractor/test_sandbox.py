"""The parser's child: what it makes of documents, readable and not."""

import io
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from uuid import uuid4

import pytest
from reportlab.pdfgen.canvas import Canvas

from deploy.samples.invoices import INVOICES
from deploy.samples.parts import Invoice
from services.extractor.adapters.offline import OfflineEngine
from services.extractor.adapters.parser.answers import heard
from services.extractor.adapters.parser.sandbox import (
    ChildLimits,
    ReadLimits,
    Sandbox,
    SandboxLimits,
)
from services.extractor.domain.reading import Reading, Scan
from shared.errors import Rejected
from tests import builders
from tests.fakes.extractor import unwatched

SAMPLES = Path(__file__).parents[3] / "deploy" / "samples"
PDF = "application/pdf"


@pytest.fixture(scope="module")
async def sandbox() -> AsyncIterator[Sandbox]:
    limits = SandboxLimits(
        ReadLimits(pages=20, chars=100_000),
        ChildLimits(memory_bytes=1024**3, cpu_s=10, wall_s=30, at_once=2),
    )
    async with Sandbox(limits) as sandbox:
        yield sandbox


async def read(sandbox: Sandbox, content: bytes, media_type: str = PDF) -> Reading:
    scan = Scan(uuid4(), builders.OWNER, builders.SHA256, media_type, content)
    return await OfflineEngine(sandbox).read(scan, unwatched)


async def test_each_engine_has_the_time_that_is_its_own() -> None:
    child = ChildLimits(memory_bytes=1024**3, cpu_s=10, wall_s=30, at_once=1)
    limits = SandboxLimits(ReadLimits(20, 100_000), child, child, {"einvoice": 1e-6})
    content = (SAMPLES / f"{INVOICES[0].file}.pdf").read_bytes()
    scan = Scan(uuid4(), builders.OWNER, builders.SHA256, PDF, content)

    async with Sandbox(limits) as sandbox:
        with pytest.raises(Rejected) as told:
            await sandbox.ask("einvoice", scan)
        assert (await read(sandbox, content)).fields

    assert told.value.reason == "parser_timeout"


def drawn(pages: int = 1, draw: Callable[[Canvas], object] = lambda _: None) -> bytes:
    sheet = io.BytesIO()
    canvas = Canvas(sheet, invariant=1)
    for _ in range(pages):
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return sheet.getvalue()


@pytest.mark.parametrize("invoice", INVOICES, ids=lambda one: one.file)
async def test_every_sample_is_read_as_it_was_written(
    sandbox: Sandbox, invoice: Invoice
) -> None:
    scan = (SAMPLES / f"{invoice.file}.pdf").read_bytes()

    reading = await read(sandbox, scan)

    written = {
        "seller.name": invoice.seller.name,
        "invoice_number": invoice.number,
        "issue_date": invoice.issued.isoformat(),
        "due_date": invoice.due.isoformat(),
        "currency": invoice.currency,
        "subtotal": str(invoice.subtotal),
        "tax_total": str(invoice.tax),
        "total": str(invoice.total),
    }
    assert {path: reading.fields[path].value for path in written} == written
    assert reading.confidence > 0.7


@pytest.mark.parametrize(
    ("file", "reason"), [("encrypted", "encrypted"), ("truncated", "unreadable")]
)
async def test_the_unreadable_samples_end_with_their_reason(
    sandbox: Sandbox, file: str, reason: str
) -> None:
    scan = (SAMPLES / "unreadable" / f"{file}.pdf").read_bytes()

    with pytest.raises(Rejected) as refused:
        await read(sandbox, scan)

    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("scan", "reason"),
    [
        pytest.param(b"", "unreadable", id="an empty file"),
        pytest.param(b"hello", "unreadable", id="no PDF at all"),
        pytest.param(drawn(), "no_text_layer", id="a page without text"),
        pytest.param(drawn(pages=21), "too_large", id="more pages than are read"),
    ],
)
async def test_a_file_that_cannot_be_read_is_rejected_by_name(
    sandbox: Sandbox, scan: bytes, reason: str
) -> None:
    with pytest.raises(Rejected) as refused:
        await read(sandbox, scan)

    assert refused.value.reason == reason


async def test_the_words_of_a_rotated_page_stand_where_they_are_displayed(
    sandbox: Sandbox,
) -> None:
    def sideways(canvas: Canvas) -> None:
        canvas.setPageRotation(90)
        canvas.drawString(100, 100, "Total 119.00 EUR")

    reading = await read(sandbox, drawn(draw=sideways))

    [seen] = reading.fields["total"].evidence
    left, top, right, bottom = seen.box
    # Turned clockwise, what was written upwards from the left edge is now near the top left.
    assert left < right < 0.3
    assert top < bottom < 0.4


@pytest.mark.parametrize("answer", [{}, {"engine": "x", "page_count": "many", "fields": {}}])
def test_an_answer_of_another_shape_is_a_crash_of_the_parser(answer: dict[str, object]) -> None:
    with pytest.raises(Rejected, match="parser_crashed"):
        heard(answer)
