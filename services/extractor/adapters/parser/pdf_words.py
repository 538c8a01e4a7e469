"""The text layer of a PDF as words with boxes. Runs in the parser's child process only.

PDFium gives characters in page units before rotation and cropping; its own mapping to a
device gives the displayed page, so no geometry of ours can be wrong about either.
"""

import ctypes
from collections.abc import Iterator

import pypdfium2
from pypdfium2 import raw

from services.extractor.adapters.parser.outcomes import Unreadable
from services.extractor.domain.words import Word

# A grid this fine loses nothing that a person could see.
DEVICE = 10_000
LOCKED = "It opens with a password only: hand it in again together with that password."
PASSWORD_NEEDED = raw.FPDF_ERR_PASSWORD
# A jump of more than this many heights inside a "word" is two words without a space.
JUMP_HEIGHTS = 0.8

Rectangle = tuple[float, float, float, float]


def words_of(scan: bytes, *, pages_max: int, chars_max: int) -> tuple[list[Word], int]:
    document = _opened(scan)
    page_count = len(document)
    if page_count > pages_max:
        raise Unreadable("too_large", f"{page_count} pages, at most {pages_max} are read")
    words: list[Word] = []
    chars = 0
    for number in range(page_count):
        try:
            page = document[number]
            text_page = page.get_textpage()
        except pypdfium2.PdfiumError as error:
            raise Unreadable("unreadable", f"page {number + 1}: {error}") from error
        chars += text_page.count_chars()
        if chars > chars_max:
            raise Unreadable("too_large", f"more than {chars_max} characters")
        words.extend(_words(page, text_page, number + 1))
        text_page.close()
        page.close()
    return words, page_count


def _opened(scan: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(scan)
    except pypdfium2.PdfiumError as error:
        if error.err_code == PASSWORD_NEEDED:
            raise Unreadable("encrypted", LOCKED) from error
        raise Unreadable("unreadable", str(error)) from error


def _words(
    page: pypdfium2.PdfPage, text_page: pypdfium2.PdfTextPage, number: int
) -> Iterator[Word]:
    for text, (left, bottom, right, top) in _rectangles(text_page):
        x0, y0 = _displayed(page, left, top)
        x1, y1 = _displayed(page, right, bottom)
        box = (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
        # What lies outside the displayed page is not what a person was shown.
        if box[2] > 0 and box[3] > 0 and box[0] < 1 and box[1] < 1:
            yield Word(text, number, *(min(1.0, max(0.0, edge)) for edge in box))


def _rectangles(text_page: pypdfium2.PdfTextPage) -> Iterator[tuple[str, Rectangle]]:
    text, box = "", (0.0, 0.0, 0.0, 0.0)
    rectangle = raw.FS_RECTF()
    for index in range(text_page.count_chars()):
        character = chr(raw.FPDFText_GetUnicode(text_page, index) or 0xFFFD)
        if character.isspace() or not character.isprintable():
            if text:
                yield text, box
            text = ""
            continue
        raw.FPDFText_GetLooseCharBox(text_page, index, ctypes.byref(rectangle))
        here = (rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
        if text and _jumps(box, here):
            yield text, box
            text = ""
        box = _around(box, here) if text else here
        text += character
    if text:
        yield text, box


def _jumps(box: Rectangle, here: Rectangle) -> bool:
    height = max(box[3] - box[1], here[3] - here[1])
    beside = max(here[0] - box[2], box[0] - here[2])
    above = max(here[1] - box[3], box[1] - here[3])
    return max(beside, above) > JUMP_HEIGHTS * height


def _around(box: Rectangle, here: Rectangle) -> Rectangle:
    return (
        min(box[0], here[0]),
        min(box[1], here[1]),
        max(box[2], here[2]),
        max(box[3], here[3]),
    )


def _displayed(page: pypdfium2.PdfPage, x: float, y: float) -> tuple[float, float]:
    device_x, device_y = ctypes.c_int(), ctypes.c_int()
    raw.FPDF_PageToDevice(
        page, 0, 0, DEVICE, DEVICE, 0, x, y, ctypes.byref(device_x), ctypes.byref(device_y)
    )
    return device_x.value / DEVICE, device_y.value / DEVICE
