"""Invoices that were paper: a scan that was taken in a little askew, and a fax of two pages.

Nothing in these files is text, so only who recognises characters can read them. The noise
comes from a seed: the same invoice is the same picture every time.
"""

import io
from datetime import date
from decimal import Decimal
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
from PIL import Image

from deploy.samples.layouts import drawn
from deploy.samples.parts import Invoice, Party, item

SCANNED = Invoice(
    *("de-malerei-sonnhalde", "letter", "de", "EUR", "M-24-0631"),
    *(date(2024, 8, 5), date(2024, 9, 4)),
    Party(
        *("Malerei Sonnhalde GmbH", "Amselweg 30", "79102 Freiburg"),
        *("DE816204390", "DE02500105170137075030", "www.sonnhalde.example"),
    ),
    Party("Praxis am Rebgarten", "Winzerstraße 8", "79227 Schallstadt"),
    Decimal(19),
    (
        item("Wände streichen, Wartezimmer", 1, "890.00"),
        item("Türen lackieren", 5, "74.00"),
        item("Abdeckmaterial", 1, "32.50"),
    ),
)
_TIMBER = (
    *(("Oak board", "24.80"), ("Larch batten", "6.45"), ("Birch plywood", "41.20")),
    *(("Pine beam", "18.75"), ("Cedar cladding", "9.60"), ("Ash dowel", "2.35")),
)
_SIZES = ("18 mm", "22 mm", "28 mm", "35 mm", "45 mm")
FAXED = Invoice(
    *("en-marram-timber", "two pages", "en", "GBP", "MT-50412"),
    *(date(2024, 6, 17), date(2024, 7, 17)),
    Party(
        *("Marram Timber Ltd", "Quayside Yard 2", "Whitby YO21 1DN"),
        *("GB 983 4127 46", "GB33BUKB20201555555555", "www.marram-timber.example"),
    ),
    Party("Fellside Joinery", "9 Chapel Row", "Kendal LA9 4QD"),
    Decimal(20),
    tuple(
        item(f"{name}, {size}", 2 + (3 * row + column) % 7, price)
        for row, size in enumerate(_SIZES)
        for column, (name, price) in enumerate(_TIMBER)
    ),
)
SCAN_DPI, FAX_DPI = 150, 200
SKEW_DEGREES = 0.7
PAPER, NOISE = 246, 3.0
SEED = 20240805
# Of a scan's grey, what is this dark is ink to a fax.
INK = 150


def scan(invoice: Invoice, path: Path) -> None:
    [page] = _pages(invoice, SCAN_DPI)
    page.save(path, "JPEG", quality=40, dpi=(SCAN_DPI, SCAN_DPI))


def fax(invoice: Invoice, path: Path) -> None:
    pages = [
        page.point(lambda grey: 255 * (grey > INK), "1") for page in _pages(invoice, FAX_DPI)
    ]
    dpi, how = (FAX_DPI, FAX_DPI), "group4"
    pages[0].save(
        path, "TIFF", save_all=True, append_images=pages[1:], compression=how, dpi=dpi
    )


def _pages(invoice: Invoice, dpi: int) -> list[Image.Image]:
    sheet = io.BytesIO()
    drawn(invoice, sheet).save()
    noise = np.random.default_rng(SEED)
    with pdfium.PdfDocument(sheet.getvalue()) as document:
        pictures = [page.render(scale=dpi / 72, grayscale=True).to_pil() for page in document]
    return [_taken_in(one, noise) for one in pictures]


def _taken_in(page: Image.Image, noise: np.random.Generator) -> Image.Image:
    askew = page.rotate(SKEW_DEGREES, Image.Resampling.BICUBIC, fillcolor=255)
    grey = np.asarray(askew, dtype=np.float32) * (PAPER / 255)
    speckled = grey + noise.normal(0, NOISE, grey.shape)
    return Image.fromarray(np.clip(speckled, 0, 255).astype(np.uint8), "L")
