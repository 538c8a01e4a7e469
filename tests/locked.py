"""PDFs with a lock on them, and what is read of one without."""

import io

import pypdfium2
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

PASSWORD = "50% ünlocked canary-7f3a"


def locked(password: str = PASSWORD, *, owner: str = "the owner", strength: int = 128) -> bytes:
    sheet = io.BytesIO()
    lock = StandardEncryption(password, ownerPassword=owner, strength=strength)
    canvas = Canvas(sheet, encrypt=lock)
    canvas.drawString(100, 700, "Total 119.00 EUR")
    canvas.save()
    return sheet.getvalue()


LOCKED = locked()


def text_of(data: bytes) -> str:
    with pypdfium2.PdfDocument(data) as document:
        return str(document[0].get_textpage().get_text_range())
