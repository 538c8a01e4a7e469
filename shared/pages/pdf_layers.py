"""Whether the text layer of a PDF page is what a person sees, and the page as a picture if not.

A scanner's own layer is mostly worse than what we recognise ourselves. A text that cannot be
mapped to characters, or a page drawn without a font, has to be looked at too. Most pages are
neither, and are told from their words alone.
"""

from collections.abc import Iterator, Sequence

import pypdfium2
from PIL import Image
from pypdfium2 import raw

from shared.pages.images import PIXELS_KEPT, Picture
from shared.pages.outcomes import Unreadable
from shared.pages.pdf_words import PageText, opened

DPI = 200
POINTS_PER_INCH = 72
# A page with fewer is a picture with a stamp on it.
CHARACTERS_MIN = 20
# Pictures that cover less are a logo on a page that says little.
COVERED_MIN = 0.08
# What stands under a picture of the whole page, if there is more of it than of what is seen.
UNDER = ("invisible", "unseen")
# Of a layer with so many characters nobody can map, the others are not to be trusted either.
GARBAGE = 0.15
# Enough to tell; a page with more objects than this is a drawing.
OBJECTS_SEEN = 20_000
DEPTH = 4
# Strokes of letters that were turned into outlines.
PATHS_MIN = 60
PRIVATE = range(0xE000, 0xF900)


def pages_to_recognise(content: bytes, pages: Sequence[PageText]) -> frozenset[int]:
    """By number. Opens the document again only when the words leave a doubt."""
    certain = {page.number for page in pages if page.is_scan or _is_garbage(page)}
    doubtful = [page for page in pages if page.number not in certain and _says_little(page)]
    if doubtful:
        document = opened(content)
        certain |= {one.number for one in doubtful if _is_drawn(document[one.number - 1])}
        document.close()
    return frozenset(certain)


def rendered(page: pypdfium2.PdfPage, *, scale: float = DPI / POINTS_PER_INCH) -> Picture:
    """At so many pixels to the point, or at fewer when those would be too many."""
    width, height = page.get_size()
    if width <= 0 or height <= 0:
        raise Unreadable("unreadable", "a page without a size")
    scale = min(scale, (PIXELS_KEPT / (width * height)) ** 0.5)
    try:
        bitmap = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=False)
    except pypdfium2.PdfiumError as error:
        raise Unreadable("unreadable", f"a page cannot be drawn: {error}") from error
    image: Image.Image = bitmap.to_pil().convert("RGB")
    return Picture(image, width, height)


def _is_garbage(page: PageText) -> bool:
    text = "".join(word.text for word in page.words)
    garbage = sum(one == "\ufffd" or ord(one) in PRIVATE for one in text)
    return garbage > GARBAGE * len(text)


def _says_little(page: PageText) -> bool:
    seen = sum(len(word.text) for word in page.words)
    under = sum(len(one.word.text) for one in page.hidden if one.why in UNDER)
    return seen < CHARACTERS_MIN or under > seen


def _is_drawn(page: pypdfium2.PdfPage) -> bool:
    width, height = page.get_size()
    paths, covered = 0, 0.0
    for one in _objects(page):
        if one.type == raw.FPDF_PAGEOBJ_PATH:
            paths += 1
        elif one.type == raw.FPDF_PAGEOBJ_IMAGE:
            left, bottom, right, top = one.get_bounds()
            covered += abs((right - left) * (top - bottom)) / max(1.0, width * height)
    return covered >= COVERED_MIN or paths >= PATHS_MIN


def _objects(page: pypdfium2.PdfPage) -> Iterator[pypdfium2.PdfObject]:
    for seen, one in enumerate(page.get_objects(max_depth=DEPTH)):
        if seen >= OBJECTS_SEEN:
            return
        yield one
