"""Files of several pages, each with a word of its own, and what is read of them."""

import io
import re
import zlib

import pypdfium2
from PIL import Image
from reportlab.pdfgen.canvas import Canvas


def pdf_of(*words: str) -> bytes:
    sheet = io.BytesIO()
    # As plain words in the file, so that a test can look for what should not be there.
    canvas = Canvas(sheet, pageCompression=0)
    for word in words:
        canvas.drawString(100, 700, word)
        canvas.showPage()
    canvas.save()
    return sheet.getvalue()


def words_of(data: bytes) -> list[str]:
    with pypdfium2.PdfDocument(data) as document:
        return [str(page.get_textpage().get_text_range()).strip() for page in document]


def unpacked(data: bytes) -> bytes:
    """All that stands in a PDF, what is compressed too."""
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", data, re.DOTALL)
    return data + b"".join(map(_inflated, streams))


def _inflated(stream: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(stream)
    except zlib.error:
        return b""


def tiff_of(*widths: int, mode: str = "L") -> bytes:
    """A frame of each width: they are told apart by it."""
    frames = [Image.new(mode, (width, 40)) for width in widths]
    sheet = io.BytesIO()
    frames[0].save(sheet, format="TIFF", save_all=True, append_images=frames[1:])
    return sheet.getvalue()


def widths_of(data: bytes) -> list[int]:
    with Image.open(io.BytesIO(data)) as image:
        count = int(getattr(image, "n_frames", 1))
        widths = []
        for frame in range(count):
            image.seek(frame)
            widths.append(image.width)
        return widths
