"""What the reading benchmark reads: the samples, and pages drawn here, as text and as pictures.

The drawn ones are what a busy supplier sends: a table over more than one page. As a picture a
page has 200 dots to the inch, as an office scanner makes it.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import pypdfium2
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from deploy.local.state import REPOSITORY
from services.extractor.domain.reading import Scan

SAMPLES = REPOSITORY / "deploy" / "samples"
PDF = "application/pdf"
PICTURES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}
DOTS = 200
POINTS = 72
ROWS_A_PAGE = 34
DRAWN_PAGES = (1, 2, 4)


@dataclass(frozen=True, slots=True)
class Material:
    name: str
    media_type: str
    content: bytes
    pages: int = 1

    def scan(self) -> Scan:
        digest = sha256(self.content).hexdigest()
        return Scan(uuid4(), "bench", digest, self.media_type, self.content)


def with_text(folder: Path | None) -> list[Material]:
    """Documents whose every page has words."""
    if folder is not None:
        return [one for one in pdfs_in(folder) if all(bare_texts(one.content))]
    return [
        *pdfs_in(SAMPLES),
        *(_drawn(number, pages) for number, pages in enumerate(DRAWN_PAGES)),
    ]


def as_pictures(folder: Path | None, count: int) -> list[Material]:
    """So many pages: the folder's own pictures, or else its pages rendered."""
    if folder is not None and (own := list(_images(folder))):
        return own[:count]
    found = [one for material in with_text(folder) for one in _rendered(material)]
    # From all over, since neighbours look alike.
    return found[:: max(1, len(found) // count)][:count]


def pdfs_in(folder: Path) -> list[Material]:
    found = ((path.name, path.read_bytes()) for path in sorted(folder.glob("*.pdf")))
    return [Material(name, PDF, content, len(bare_texts(content))) for name, content in found]


def _images(folder: Path) -> Iterator[Material]:
    for path in sorted(folder.iterdir()):
        if media_type := PICTURES.get(path.suffix.lower()):
            yield Material(path.name, media_type, path.read_bytes())


def bare_texts(content: bytes) -> Sequence[str]:
    """What the library says by itself, page by page."""
    document = pypdfium2.PdfDocument(content)
    try:
        return [page.get_textpage().get_text_range().strip() for page in document]
    finally:
        document.close()


def _rendered(material: Material) -> Iterator[Material]:
    document = pypdfium2.PdfDocument(material.content)
    for number, page in enumerate(document, 1):
        file = io.BytesIO()
        page.render(scale=DOTS / POINTS).to_pil().convert("RGB").save(file, "PNG")
        yield Material(f"{material.name}, page {number}", "image/png", file.getvalue())
    document.close()


def _drawn(number: int, pages: int) -> Material:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4, invariant=1)
    total = 0
    for page in range(pages):
        if page == 0:
            _head(canvas, number)
        for row in range(ROWS_A_PAGE):
            cents = 1_250 + 375 * row + 50 * page
            total += cents
            _row(
                canvas,
                600 - 15 * row,
                f"Position {page + 1}.{row + 1}, bolts M{row + 4}",
                cents,
            )
        if page == pages - 1:
            _sums(canvas, total)
        canvas.showPage()
    canvas.save()
    return Material(f"drawn-{number}.pdf", PDF, file.getvalue(), pages)


def _head(canvas: Canvas, number: int) -> None:
    canvas.setFont("Helvetica-Bold", 15)
    canvas.drawString(57, 780, "Fenwick & Sallow Ironmongers Ltd")
    canvas.setFont("Helvetica", 10)
    lines = ("14 Quayside", "Harbourton HB1 4QS", "VAT no. GB 100 0000 33")
    for row, text in enumerate(lines):
        canvas.drawString(57, 762 - 14 * row, text)
    for row, text in enumerate((f"Invoice number: FS-{1000 + number}", "Date: 14 March 2026")):
        canvas.drawString(350, 700 - 14 * row, text)
    canvas.drawString(57, 625, "Description")
    canvas.drawRightString(538, 625, "Amount")


def _row(canvas: Canvas, y: float, text: str, cents: int) -> None:
    canvas.setFont("Helvetica", 10)
    canvas.drawString(57, y, text)
    canvas.drawRightString(538, y, _money(cents))


def _sums(canvas: Canvas, net: int) -> None:
    tax = net // 5
    rows = (("Subtotal", net), ("VAT 20 %", tax), ("Total GBP", net + tax))
    for row, (text, cents) in enumerate(rows):
        _row(canvas, 70 - 15 * row, text, cents)


def _money(cents: int) -> str:
    return f"{cents // 100:,}.{cents % 100:02}"
