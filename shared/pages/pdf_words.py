"""The text layer of a PDF as words with boxes. Runs in the parser's child process only.

PDFium gives characters in page units before rotation and cropping; its own mapping to a
device gives the displayed page, so no geometry of ours can be wrong about either. A word that
a person is not shown is no word of the page: `hidden.py` says which, and they are kept apart.
"""

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

import pypdfium2
from pypdfium2 import raw

from shared.invoice.fields import Box
from shared.pages.hidden import (
    Hidden,
    Looks,
    Reason,
    covers_most,
    without_echoes,
)
from shared.pages.outcomes import Unreadable
from shared.pages.unseen import unseen
from shared.pages.words import Word

# A grid this fine loses nothing that a person could see.
DEVICE = 1_000_000
LOCKED = "It opens with a password only: hand it in again together with that password."
PASSWORD_NEEDED = raw.FPDF_ERR_PASSWORD
# A jump of more than this many heights inside a "word" is two words without a space.
JUMP_HEIGHTS = 0.8
# How a scanner hides what it has recognised.
UNDER_A_SCAN = ("invisible", "unseen")

Rectangle = tuple[float, float, float, float]
Piece = tuple[str, Rectangle, Reason | None]


@dataclass(frozen=True, slots=True)
class PageText:
    """What one page holds: its size in points as it is displayed, and its words."""

    number: int
    width: float
    height: float
    words: tuple[Word, ...]
    hidden: tuple[Hidden, ...]
    # Of a page that is one image: what some program once recognised in it, laid under it.
    scan_layer: tuple[Word, ...]
    is_scan: bool


def words_of(scan: bytes, *, pages_max: int, chars_max: int) -> tuple[list[Word], int]:
    """All that a person is shown, and how many pages there are."""
    pages = pages_of(scan, pages_max=pages_max, chars_max=chars_max)
    return list(chain.from_iterable(page.words for page in pages)), len(pages)


def pages_of(scan: bytes, *, pages_max: int, chars_max: int) -> list[PageText]:
    document = opened(scan)
    page_count = len(document)
    if page_count > pages_max:
        raise Unreadable("too_large", f"{page_count} pages, at most {pages_max} are read")
    pages: list[PageText] = []
    chars = 0
    for number in range(1, page_count + 1):
        try:
            page = document[number - 1]
            text_page = page.get_textpage()
        except pypdfium2.PdfiumError as error:
            raise Unreadable("unreadable", f"page {number}: {error}") from error
        chars += text_page.count_chars()
        if chars > chars_max:
            raise Unreadable("too_large", f"more than {chars_max} characters")
        pages.append(page_text(page, text_page, number))
        text_page.close()
        page.close()
    return pages


def opened(scan: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(scan)
    except pypdfium2.PdfiumError as error:
        if error.err_code == PASSWORD_NEEDED:
            raise Unreadable("encrypted", LOCKED) from error
        raise Unreadable("unreadable", str(error)) from error


def page_text(
    page: pypdfium2.PdfPage, text_page: pypdfium2.PdfTextPage, number: int
) -> PageText:
    looks = Looks(page, text_page)
    displayed = _mapping(page)
    words: list[Word] = []
    hidden: list[Hidden] = []
    doubtful: list[Word] = []
    for text, rectangle, reason in _pieces(text_page, looks):
        box = displayed(rectangle)
        word = Word(text, number, *(min(1.0, max(0.0, edge)) for edge in box))
        if not (box[2] > 0 and box[3] > 0 and box[0] < 1 and box[1] < 1):
            hidden.append(Hidden(word, "outside"))
        elif reason == "doubtful":
            doubtful.append(word)
        elif reason is not None:
            hidden.append(Hidden(word, reason))
        else:
            words.append(word)
    not_seen = unseen(page, looks.doubtful_and_twins(), doubtful)
    hidden += [Hidden(word, "unseen") for word in not_seen]
    words += [word for word in doubtful if word not in not_seen]
    layer = [one.word for one in hidden if one.why in UNDER_A_SCAN]
    # A stamp on it may be text of its own.
    is_scan = len(layer) >= len(words) and covers_most(page, looks.images)
    if is_scan:
        hidden = [one for one in hidden if one.why not in UNDER_A_SCAN]
    else:
        layer = []
    kept = without_echoes(hidden, words)
    width, height = page.get_size()
    return PageText(number, width, height, tuple(words), kept, tuple(layer), is_scan)


def _pieces(text_page: pypdfium2.PdfTextPage, looks: Looks) -> Iterator[Piece]:
    """Words, each of one look: so nothing hidden stands in the middle of what is shown."""
    text, box, reason = "", (0.0, 0.0, 0.0, 0.0), None
    handle = text_page.raw
    rectangle = raw.FS_RECTF()
    place = ctypes.byref(rectangle)
    unicode_of, box_of = raw.FPDFText_GetUnicode, raw.FPDFText_GetLooseCharBox
    for index in range(text_page.count_chars()):
        character = chr(unicode_of(handle, index) or 0xFFFD)
        if character.isspace() or not character.isprintable():
            if text:
                yield text, box, reason
            text = ""
            continue
        box_of(handle, index, place)
        here = (rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
        look = looks.of(index)
        if text and (look != reason or _jumps(box, here)):
            yield text, box, reason
            text = ""
        box = _around(box, here) if text else here
        reason = look
        text += character
    if text:
        yield text, box, reason


def _jumps(box: Rectangle, here: Rectangle) -> bool:
    limit = JUMP_HEIGHTS * max(box[3] - box[1], here[3] - here[1])
    return (
        here[0] - box[2] > limit
        or box[0] - here[2] > limit
        or here[1] - box[3] > limit
        or box[1] - here[3] > limit
    )


def _around(box: Rectangle, here: Rectangle) -> Rectangle:
    return (
        min(box[0], here[0]),
        min(box[1], here[1]),
        max(box[2], here[2]),
        max(box[3], here[3]),
    )


def _mapping(page: pypdfium2.PdfPage) -> Callable[[Rectangle], Box]:
    """From page units to 0..1 of the displayed page. It is linear, so three points give it."""
    width, height = page.get_size()
    x0, y0 = _displayed(page, 0, 0)
    xx, yx = _displayed(page, width, 0)
    xy, yy = _displayed(page, 0, height)
    ax, ay = (xx - x0) / width, (yx - y0) / width
    bx, by = (xy - x0) / height, (yy - y0) / height

    def box(rectangle: Rectangle) -> Box:
        left, bottom, right, top = rectangle
        xs = x0 + ax * left + bx * top, x0 + ax * right + bx * bottom
        ys = y0 + ay * left + by * top, y0 + ay * right + by * bottom
        return min(xs), min(ys), max(xs), max(ys)

    return box


def _displayed(page: pypdfium2.PdfPage, x: float, y: float) -> tuple[float, float]:
    device_x, device_y = ctypes.c_int(), ctypes.c_int()
    raw.FPDF_PageToDevice(
        page, 0, 0, DEVICE, DEVICE, 0, x, y, ctypes.byref(device_x), ctypes.byref(device_y)
    )
    return device_x.value / DEVICE, device_y.value / DEVICE
