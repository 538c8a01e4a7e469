"""The process that cuts a file into parts. It has nothing to lose and nothing to steal.

Only the pages that are asked for go into a part: nothing of the other invoices is left in it.
The same part of the same file is the same bytes each time, or no repeated split would be
recognised.
"""

import io
import re
import sys
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from services.ingest.adapters.pdf_identity import identified
from shared.sandbox.frames import Frame
from shared.sandbox.serving import Served, serve

CUT, NO_SUCH_PAGE, UNREADABLE = "cut", "no_such_page", "unreadable"
# The library writes down when it made a file, which would make each of them another one.
_MADE = re.compile(rb"/CreationDate\(D:\d{14}[^)]*\)")
_DIGITS = re.compile(rb"\d")
PIXELS_MAX = 100_000_000


def handle(asked: Frame) -> Served:
    [document], parts = asked.parts, asked.said["parts"]
    cut = _pdf if asked.said["media_type"] == "application/pdf" else _tiff
    return cut(document, parts)


def _pdf(document: bytes, parts: Sequence[Sequence[int]]) -> Served:
    # Loaded in chains: the library that is most likely to be attacked.
    from pypdfium2 import PdfDocument, PdfiumError, raw  # noqa: PLC0415

    try:
        source = PdfDocument(document)
        count = len(source)
        if not _are_there(parts, count):
            return Served({"found": NO_SUCH_PAGE, "pages": count})
        pieces = []
        for pages in parts:
            part, copy = PdfDocument.new(), io.BytesIO()
            part.import_pages(source, [page - 1 for page in pages])
            part.save(copy, flags=raw.FPDF_NO_INCREMENTAL)
            pieces.append(_timeless(copy.getvalue(), _name(document, pages)))
            part.close()
    except PdfiumError:
        return Served({"found": UNREADABLE})
    return Served({"found": CUT}, tuple(pieces), pages=sum(map(len, parts)))


def _tiff(document: bytes, parts: Sequence[Sequence[int]]) -> Served:
    from PIL import Image  # noqa: PLC0415

    Image.MAX_IMAGE_PIXELS = PIXELS_MAX
    try:
        with Image.open(io.BytesIO(document), formats=["TIFF"]) as source:
            count = int(getattr(source, "n_frames", 1))
            if not _are_there(parts, count):
                return Served({"found": NO_SUCH_PAGE, "pages": count})
            pieces = [_frames(source, pages) for pages in parts]
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return Served({"found": UNREADABLE})
    return Served({"found": CUT}, tuple(pieces), pages=sum(map(len, parts)))


def _frames(source: Any, pages: Sequence[int]) -> bytes:  # noqa: ANN401 -- a picture
    """Without loss: fax pages as fax, anything else deflated, each upright as it was."""
    frames, copy = [], io.BytesIO()
    for page in pages:
        source.seek(page - 1)
        frames.append(source.copy())
    bilevel = all(one.mode == "1" for one in frames)
    frames[0].save(
        copy,
        format="TIFF",
        save_all=True,
        append_images=frames[1:],
        compression="group4" if bilevel else "tiff_adobe_deflate",
        dpi=source.info.get("dpi", (200, 200)),
    )
    return copy.getvalue()


def _are_there(parts: Sequence[Sequence[int]], count: int) -> bool:
    return all(1 <= page <= count for pages in parts for page in pages)


def _name(document: bytes, pages: Sequence[int]) -> str:
    told = sha256(document)
    told.update(repr(list(pages)).encode())
    return told.hexdigest()


def _timeless(copy: bytes, digest: str) -> bytes:
    """As long as it was, since the file is full of offsets."""
    return identified(_MADE.sub(lambda one: _DIGITS.sub(b"0", one[0]), copy), digest)


if __name__ == "__main__":
    sys.exit(serve(handle, sys.argv[1:]))
