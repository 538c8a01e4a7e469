"""The parser's child: whatever a file does, it ends with an outcome and leaves no process."""

import asyncio
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from deploy.samples.invoices import INVOICES, Invoice
from services.extractor.adapters import sandbox as sandbox_module
from services.extractor.adapters.sandbox import Sandbox, SandboxLimits
from services.extractor.adapters.text_layer import TextLayerEngine, reading_of
from shared.errors import Rejected

SAMPLES = Path(__file__).parents[3] / "deploy" / "samples"
LIMITS = SandboxLimits(
    memory_bytes=1024**3, cpu_s=10, wall_s=30, pages=20, chars=100_000, at_once=2
)
PDF = "application/pdf"


def engine(limits: SandboxLimits = LIMITS) -> TextLayerEngine:
    return TextLayerEngine(Sandbox(limits))


def drawn(pages: int = 1, draw: Callable[[Canvas], object] = lambda _: None) -> bytes:
    sheet = io.BytesIO()
    canvas = Canvas(sheet, invariant=1)
    for _ in range(pages):
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return sheet.getvalue()


@pytest.mark.parametrize("invoice", INVOICES, ids=lambda one: one.file)
async def test_every_sample_is_read_as_it_was_written(invoice: Invoice) -> None:
    scan = (SAMPLES / f"{invoice.file}.pdf").read_bytes()

    reading = await engine().read(scan, PDF)

    assert {path: one.value for path, one in reading.fields.items()} == {
        "seller.name": invoice.seller.name,
        "invoice_number": invoice.number,
        "issue_date": invoice.issued.isoformat(),
        "due_date": invoice.due.isoformat(),
        "currency": invoice.currency,
        "subtotal": str(invoice.subtotal),
        "tax_total": str(invoice.tax),
        "total": str(invoice.total),
    }
    assert reading.confidence > 0.7


@pytest.mark.parametrize(
    ("file", "reason"), [("encrypted", "encrypted"), ("truncated", "unreadable")]
)
async def test_the_unreadable_samples_end_with_their_reason(file: str, reason: str) -> None:
    scan = (SAMPLES / "unreadable" / f"{file}.pdf").read_bytes()

    with pytest.raises(Rejected) as refused:
        await engine().read(scan, PDF)

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
async def test_a_file_that_cannot_be_read_is_rejected_by_name(scan: bytes, reason: str) -> None:
    with pytest.raises(Rejected) as refused:
        await engine().read(scan, PDF)

    assert refused.value.reason == reason


async def test_an_image_has_no_text_layer_yet() -> None:
    with pytest.raises(Rejected, match="no_text_layer"):
        await engine().read(b"\x89PNG", "image/png")


async def test_the_words_of_a_rotated_page_stand_where_they_are_displayed() -> None:
    def sideways(canvas: Canvas) -> None:
        canvas.setPageRotation(90)
        canvas.drawString(100, 100, "Total 119.00 EUR")

    reading = await engine().read(drawn(draw=sideways), PDF)

    [seen] = reading.fields["total"].evidence
    left, top, right, bottom = seen.box
    # Turned clockwise, what was written upwards from the left edge is now near the top left.
    assert left < right < 0.3
    assert top < bottom < 0.4


@pytest.mark.parametrize(
    ("program", "limits", "reason"),
    [
        pytest.param("import os; os.abort()", LIMITS, "parser_crashed", id="a crash"),
        pytest.param("import sys; sys.exit(3)", LIMITS, "parser_crashed", id="an exit code"),
        pytest.param("print('no json')", LIMITS, "parser_crashed", id="gibberish"),
        pytest.param("print('[]')", LIMITS, "parser_crashed", id="another shape"),
        pytest.param(
            "import sys; sys.stdin.read()\nwhile True: print('x' * 65536)",
            LIMITS,
            "too_large",
            id="an answer without end",
        ),
        pytest.param(
            "import signal; signal.pause()",
            replace(LIMITS, wall_s=0.5),
            "parser_timeout",
            id="a child that hangs",
        ),
    ],
)
async def test_whatever_ends_the_child_is_an_outcome(
    program: str,
    limits: SandboxLimits,
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "hostile.py").write_text(program)
    monkeypatch.setattr(sandbox_module, "ROOT", tmp_path)
    monkeypatch.setattr(sandbox_module, "CHILD", "hostile")

    with pytest.raises(Rejected) as refused:
        await Sandbox(limits).parse(b"%PDF" * 50_000)

    assert refused.value.reason == reason


async def test_a_cancelled_reading_leaves_no_child_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hostile.py").write_text("import signal; signal.pause()")
    monkeypatch.setattr(sandbox_module, "ROOT", tmp_path)
    monkeypatch.setattr(sandbox_module, "CHILD", "hostile")
    started: list[asyncio.subprocess.Process] = []
    start = Sandbox._start

    async def watched(self: Sandbox) -> asyncio.subprocess.Process:
        started.append(await start(self))
        return started[0]

    monkeypatch.setattr(Sandbox, "_start", watched)

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await Sandbox(LIMITS).parse(b"")

    assert started[0].returncode is not None


async def test_the_child_sees_no_secret_of_its_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERLINE_DATABASE_URL", "postgresql://secret")
    (tmp_path / "curious.py").write_text("import json, os; print(json.dumps(dict(os.environ)))")
    monkeypatch.setattr(sandbox_module, "ROOT", tmp_path)
    monkeypatch.setattr(sandbox_module, "CHILD", "curious")

    seen = await Sandbox(LIMITS).parse(b"")

    assert not {name for name in seen if name not in ("LC_CTYPE",)}


@pytest.mark.parametrize("answer", [{}, {"engine": "x", "page_count": "many", "fields": {}}])
def test_an_answer_of_another_shape_is_a_crash_of_the_parser(answer: dict[str, object]) -> None:
    with pytest.raises(Rejected, match="parser_crashed"):
        reading_of(answer)
